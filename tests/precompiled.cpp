// Holds nothing: the target that makes the precompiled headers of all tests needs a source file.
