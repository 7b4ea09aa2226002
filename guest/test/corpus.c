/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on files, for compilers that have no fuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **names) {
    static uint8_t whole[1 << 20];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(names[i], "rb");
        if (!file) {
            perror(names[i]);
            return 1;
        }
        size_t size = fread(whole, 1, sizeof whole, file);
        fclose(file);
        uint8_t *exact = malloc(size ? size : 1); /* so that one byte too far is seen */
        if (!exact) {
            return 1;
        }
        for (size_t at = 0; at < size; at++) {
            exact[at] = whole[at];
        }
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    printf("%s: %d inputs\n", names[0], count - 1);
    return 0;
}
