# cmake -D COMPILER=c++ -D INCLUDE=dir -D SOURCE=program.cpp -D PROGRAM=path -P compile_and_run.cmake
execute_process(COMMAND ${COMPILER} -std=c++17 -I${INCLUDE} ${SOURCE} -o ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
