/* Debian's Wine 8 lacks this library of Windows, which Rust asks for random numbers; its own source of them stands in. */
#include <stddef.h>

__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *bytes, unsigned long count);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, size_t count) {
    return SystemFunction036(bytes, (unsigned long)count);
}
