/* Stands for a C++ ROS node: reads --ros-args as such a node does, prints what it was told, waits for SIGINT. */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t asked = 0;

static void on_signal(int number) { asked = number; }

static void print_file(const char *path) {
    char line[256];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        printf("no params file\n");
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        printf("params %s", line);
    }
    fclose(file);
}

int main(int argc, char **argv) {
    int ros = 0;
    signal(SIGINT, on_signal);
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--ros-args") == 0) {
            ros = 1;
        } else if (!ros) {
            printf("argument %s\n", argv[i]);
        } else if (strcmp(argv[i], "-r") == 0 && i + 1 < argc) {
            printf("remap %s\n", argv[++i]);
        } else if (strcmp(argv[i], "--params-file") == 0 && i + 1 < argc) {
            print_file(argv[++i]);
        }
    }
    printf("holding\n");
    fflush(stdout);
    while (!asked) {
        pause();
    }
    printf("ended by signal %d\n", (int)asked);
    return 0;
}
