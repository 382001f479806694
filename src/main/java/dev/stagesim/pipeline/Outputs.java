package dev.stagesim.pipeline;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.ScalarNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Lists what a stage has written. */
final class Outputs {
    private Outputs() {}

    /** Every file below the directory, with digest and rows, sorted by path. */
    static List<RunMeta.Output> scan(String stage, Path dir) throws IOException {
        for (String reserved : List.of(RunMetaJson.FILE, ConfigSnapshot.DIR)) {
            if (Files.exists(dir.resolve(reserved))) {
                throw new IllegalStateException(stage + " wrote " + reserved + ", which the pipeline writes");
            }
        }
        try {
            // A workload may be thousands of traces.
            return Digests.filesBelow(dir).parallelStream()
                    .map(file -> output(dir, file))
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static RunMeta.Output output(Path dir, Path file) {
        try {
            Digests.FileFacts facts = Digests.facts(file);
            return new RunMeta.Output(Digests.relative(dir, file), facts.sha256(), facts.rows());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The key {@code name} of a section that holds a card. */
    static Optional<String> cardName(MapNode tree, String section) {
        return tree.get(section) instanceof MapNode card
                        && card.get("name") instanceof ScalarNode leaf
                        && leaf.value() instanceof String name
                        && !leaf.isMissing()
                ? Optional.of(name)
                : Optional.empty();
    }
}
