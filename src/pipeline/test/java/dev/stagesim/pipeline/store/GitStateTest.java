package dev.stagesim.pipeline.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GitStateTest {
    private static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";

    private static RunMeta.Git parse(String text) throws IOException {
        return GitState.parse(new BufferedReader(new StringReader(text)));
    }

    @Test
    void readsStatus() throws IOException {
        String head = "# branch.oid " + COMMIT + "\n# branch.head main\n";
        assertThat(parse(head)).isEqualTo(new RunMeta.Git(COMMIT, Optional.of(false)));
        assertThat(parse(head + "1 .M N... 100644 100644 100644 a b pom.xml\n"))
                .isEqualTo(new RunMeta.Git(COMMIT, Optional.of(true)));
        assertThat(parse("")).isEqualTo(RunMeta.Git.UNKNOWN);
        assertThat(parse("# branch.oid (initial)\n")).isEqualTo(RunMeta.Git.UNKNOWN);
    }

    @Test
    void isUnknownOutsideACheckout(@TempDir Path dir) throws IOException {
        assertThat(GitState.query(dir).get()).isEqualTo(RunMeta.Git.UNKNOWN);
        Files.createDirectories(dir.resolve(".git"));
        assertThat(GitState.query(dir).get()).isEqualTo(RunMeta.Git.UNKNOWN);
    }
}
