// The target that makes the precompiled headers of all tests needs a source file.
int main() {}
