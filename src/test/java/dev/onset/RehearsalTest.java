package dev.onset;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RehearsalTest {
    @Test
    void starts_the_whole_service_in_a_folder_of_its_own_and_ends_it(@TempDir Path folder) throws Exception {
        Rehearsal.run(folder);

        assertThat(folder.resolve("data/onset.db")).isNotEmptyFile();
        // What was opened is closed again: a second one may use the same folder.
        Files.delete(folder.resolve("data/onset.db"));
        Rehearsal.run(folder);
    }
}
