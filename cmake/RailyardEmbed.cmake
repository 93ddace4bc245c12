# railyard_embed(<out.cpp> HEADER <header> NAMESPACE <namespace> TEXTS <name> <file>...): a source file that
# defines a std::string_view for each text file. Written again when a text changes.
function(railyard_embed out)
  cmake_parse_arguments(PARSE_ARGV 1 embed "" "HEADER;NAMESPACE" "TEXTS")
  set(content "#include \"${embed_HEADER}\"\n\nnamespace ${embed_NAMESPACE} {\n\n")
  while(embed_TEXTS)
    list(POP_FRONT embed_TEXTS name path)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${path}")
    file(READ "${path}" text)
    string(APPEND content "const std::string_view ${name} = R\"~embed~(${text})~embed~\";\n")
  endwhile()
  string(APPEND content "\n}  // namespace ${embed_NAMESPACE}\n")
  file(CONFIGURE OUTPUT "${out}" CONTENT "@content@" @ONLY)
endfunction()
