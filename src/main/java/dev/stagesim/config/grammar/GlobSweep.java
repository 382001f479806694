package dev.stagesim.config.grammar;

import java.util.List;
import java.util.Set;

/**
 * A sweep over the options of the group that the key names.
 *
 * @param include patterns ({@code * ? [seq] [!seq]}) of which one must match
 * @param exclude patterns of which none may match
 * @param tags labels
 */
public record GlobSweep(List<String> include, List<String> exclude, Set<String> tags) implements Sweep {
    public GlobSweep {
        include = List.copyOf(include);
        exclude = List.copyOf(exclude);
        tags = Labels.copy(tags);
    }
}
