package dev.stagesim.verify.vidur;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The whole recorded corpus, where it is at hand. */
class VidurCorpusTest {
    @Test
    void everyCaseIsReproducedExactly() throws Exception {
        Path corpus = Path.of(System.getProperty("stagesim.home", "."), "..", "shared", "goldens", "vidur");
        assumeTrue(Files.isDirectory(corpus.resolve("cases")), "no corpus beside the repository");
        List<VidurCases.Result> results = new ArrayList<>();
        VidurCases.run(corpus, results::add);
        assertThat(results).isNotEmpty();
        assertThat(results).allMatch(VidurCases.Result::exact);
    }
}
