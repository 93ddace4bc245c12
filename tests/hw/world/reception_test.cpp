#include "hw/world/reception.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <sys/socket.h>
#include <vector>

#include "core/diagnostic.hpp"
#include "hw/world/listen_address.hpp"

namespace railyard::hw {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Deadline within(int ms) { return Clock::now() + milliseconds(ms); }

/// A reception at 127.0.0.1 that knows those who say "friend", and connections to it.
class ReceptionAtHome : public testing::Test {
 protected:
  ReceptionAtHome() : reception_([](const std::string& text) { return text == "friend"; }) {
    EXPECT_EQ(reception_.listen({"127.0.0.1"}, 0), "");
  }
  [[nodiscard]] TcpLink visitor() const {
    TcpLink link;
    EXPECT_EQ(connect(link, "127.0.0.1", reception_.port(), within(2000)), "");
    return link;
  }
  static void send_raw(const TcpLink& link, const std::string& bytes) {
    EXPECT_EQ(::send(link.socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// Whether the other side closed the connection.
  static bool is_closed(const TcpLink& link) {
    std::string text;
    return link.receive(text, within(1000)) != TcpLink::kTimedOut;
  }

  Reception reception_;
  Reception::Arrival arrival_;
};

TEST_F(ReceptionAtHome, AFriendComesInBesideASilentOneAPortScanAndGarbage) {
  const TcpLink silent = visitor();
  { const TcpLink scan = visitor(); }
  const TcpLink garbage = visitor();
  send_raw(garbage, "GET / HTTP/1.0\r\n\r\n");
  const TcpLink other = visitor();
  ASSERT_EQ(other.send("enemy", within(1000)), "");
  const TcpLink guest = visitor();
  ASSERT_EQ(guest.send("friend", within(1000)), "");
  EXPECT_EQ(reception_.next(arrival_, within(2000)), "");
  EXPECT_EQ(arrival_.text, "friend");
  ASSERT_EQ(arrival_.link.send("welcome", within(1000)), "");
  std::string text;
  EXPECT_EQ(guest.receive(text, within(1000)), "");
  EXPECT_EQ(text, "welcome");
  EXPECT_EQ(reception_.next(arrival_, within(100)), TcpLink::kTimedOut);
  EXPECT_EQ(reception_.rejected_connections(), 3u);  // all but the silent one, who has 5 s
  EXPECT_TRUE(is_closed(garbage));
  EXPECT_TRUE(is_closed(other));
}

TEST_F(ReceptionAtHome, ALengthOfAGibibyteIsNotBelieved) {
  const TcpLink boaster = visitor();
  const std::uint64_t length = std::uint64_t{1} << 30;
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  send_raw(boaster, bytes);
  EXPECT_EQ(reception_.next(arrival_, within(200)), TcpLink::kTimedOut);
  EXPECT_EQ(reception_.rejected_connections(), 1u);
  EXPECT_TRUE(is_closed(boaster));
}

TEST_F(ReceptionAtHome, AFirstTextMayComeByteByByte) {
  const TcpLink slow = visitor();
  const std::uint64_t length = 6;
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += "friend";
  for (const char c : bytes) {
    EXPECT_EQ(reception_.next(arrival_, within(5)), TcpLink::kTimedOut);
    send_raw(slow, std::string(1, c));
  }
  EXPECT_EQ(reception_.next(arrival_, within(1000)), "");
}

TEST_F(ReceptionAtHome, AThousandIdleConnectionsAreClosedAgain) {
  std::vector<TcpLink> idle;
  for (int i = 0; i < 600; ++i) {
    idle.push_back(visitor());
    if (i % 50 == 0) {
      EXPECT_EQ(reception_.next(arrival_, within(20)), TcpLink::kTimedOut);
    }
  }
  const TcpLink guest = visitor();
  ASSERT_EQ(guest.send("friend", within(1000)), "");
  EXPECT_EQ(reception_.next(arrival_, within(5000)), "");
  EXPECT_GE(reception_.rejected_connections(), 600u - 256u);
  EXPECT_TRUE(is_closed(idle.front()));
}

TEST(TcpLinkText, MemoryGrowsWithWhatComes) {
  Reception reception([](const std::string&) { return true; });
  ASSERT_EQ(reception.listen({"127.0.0.1"}, 0), "");
  TcpLink guest;
  ASSERT_EQ(connect(guest, "127.0.0.1", reception.port(), within(1000)), "");
  ASSERT_EQ(guest.send("", within(1000)), "");
  Reception::Arrival arrival;
  ASSERT_EQ(reception.next(arrival, within(1000)), "");
  const std::uint64_t length = std::uint64_t{1} << 29;
  ASSERT_EQ(::send(guest.socket(), &length, sizeof length, MSG_NOSIGNAL),
            static_cast<ssize_t>(sizeof length));
  std::string text;
  EXPECT_EQ(arrival.link.receive(text, within(50)), TcpLink::kTimedOut);
  EXPECT_LE(text.capacity(), std::size_t{4} << 20);
  const std::uint64_t short_length = 40;
  ASSERT_EQ(::send(guest.socket(), &short_length, sizeof short_length, MSG_NOSIGNAL),
            static_cast<ssize_t>(sizeof short_length));
  EXPECT_EQ(arrival.link.receive(text, within(50), 32), "it speaks another protocol");
}

TEST(ListenAddress, IsThatOfTheMasterOrTheOneChosen) {
  using Addresses = std::vector<std::string>;
  EXPECT_EQ(listen_addresses("127.0.0.1", ""), Addresses{"127.0.0.1"});
  EXPECT_EQ(listen_addresses("192.0.2.1", ""), Addresses{});  // RFC 5737: of no host
  EXPECT_EQ(listen_addresses("192.0.2.1", "127.0.0.1"), Addresses{"127.0.0.1"});
  EXPECT_EQ(listen_addresses("127.0.0.1", "any"), Addresses{});
  EXPECT_THROW((void)listen_addresses("127.0.0.1", "192.0.2.1"), InputError);
}

}  // namespace
}  // namespace railyard::hw
