# One library, compiled for several levels of the x86-64 ABI, of which a program takes the best that
# its processor has (sim/base/cpu_level.c).
#
#   pal_add_levels(TARGET SOURCE...)
#
# makes a static library TARGET. All sources are compiled once for each level, and are joined to one
# object for each, in which every function pal_x is called pal_x_v2, _v3 or _v4: within a level, calls
# stay direct. The name pal_x itself is an entry of two instructions that jumps to the place of pal_x
# in the table of the level in use. So whatever calls the library must do so by functions: data that
# others could see would be there three times, and is refused.
#
# The second half is run by the build (cmake -P), between compiling and linking.

set(PAL_LEVELS v2 v3 v4)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  # Whether the compiler makes code for these levels, and can ask for them when a program runs.
  function(pal_can_have_levels result)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS -march=x86-64-v4)
    check_c_source_compiles("int main(void) { return __builtin_cpu_supports(\"x86-64-v4\"); }"
      HAS_X86_64_LEVELS)
    set(${result} ${HAS_X86_64_LEVELS} PARENT_SCOPE)
  endfunction()

  function(pal_add_levels target)
    foreach(level ${PAL_LEVELS})
      set(library ${target}_${level})
      add_library(${library} STATIC ${ARGN})
      target_include_directories(${library} PRIVATE ${CMAKE_SOURCE_DIR})
      target_compile_options(${library} PRIVATE -march=x86-64-${level})
      list(APPEND archives ${library})
      list(APPEND archive_files $<TARGET_FILE:${library}>)
      list(APPEND objects ${CMAKE_CURRENT_BINARY_DIR}/${target}_${level}.o)
    endforeach()
    set(entries ${CMAKE_CURRENT_BINARY_DIR}/${target}_entries.s)
    add_custom_command(OUTPUT ${entries} ${objects}
      COMMAND ${CMAKE_COMMAND} -D TARGET=${target} -D NM=${CMAKE_NM} -D LD=${CMAKE_LINKER}
        -D OBJCOPY=${CMAKE_OBJCOPY} -D "ARCHIVES=${archive_files}" -P ${CMAKE_SOURCE_DIR}/CMakeLevels.cmake
      WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
      DEPENDS ${archives} ${archive_files} ${CMAKE_SOURCE_DIR}/CMakeLevels.cmake
      COMMENT "Joining the levels of ${target}" VERBATIM)
    set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    add_library(${target} STATIC ${entries} ${objects})
  endfunction()
  return()
endif()

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

# The global symbols that object `file` defines, of the kinds that the letters of nm say.
function(symbols file letters result)
  run(${NM} --defined-only --extern-only --format=posix ${file})
  string(REGEX MATCHALL "[A-Za-z0-9_.]+ [${letters}] " found "${said}")
  list(TRANSFORM found REPLACE " .*" "")
  list(SORT found)
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# One object for each level, with the symbols renamed
foreach(level archive IN ZIP_LISTS PAL_LEVELS ARCHIVES)
  set(object ${TARGET}_${level}.o)
  run(${LD} -r --whole-archive ${archive} -o ${object})
  symbols(${object} "A-Z" all)
  symbols(${object} "T" functions_${level})
  set(names ${all})
  list(TRANSFORM names REPLACE "(.+)" "\\1 \\1_${level}")
  list(JOIN names "\n" names)
  file(WRITE ${object}.names "${names}\n")
  run(${OBJCOPY} --redefine-syms=${object}.names ${object})
  if(NOT "${functions_${level}}" STREQUAL "${functions_v2}")
    message(FATAL_ERROR "${TARGET}: the levels do not define the same functions")
  endif()
endforeach()

# The entries and the tables
set(text "\t.text\n")
set(at 0)
foreach(name ${functions_v2})
  string(APPEND text "\t.globl ${name}\n\t.type ${name}, @function\n${name}:\n"
    "\tmovq pal_cpu_table(%rip), %r11\n\tjmp *${at}(%r11)\n\t.size ${name}, .-${name}\n")
  math(EXPR at "${at} + 8")
endforeach()
string(APPEND text "\t.section .data.rel.ro, \"aw\"\n\t.balign 8\n")
foreach(level ${PAL_LEVELS})
  string(APPEND text "\t.globl pal_cpu_table_${level}\npal_cpu_table_${level}:\n")
  foreach(name ${functions_v2})
    string(APPEND text "\t.quad ${name}_${level}\n")
  endforeach()
endforeach()
string(APPEND text "\t.section .note.GNU-stack, \"\", @progbits\n")
file(WRITE ${TARGET}_entries.s "${text}")
