package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.MapNode;
import java.util.List;
import java.util.Optional;

/**
 * One parsed file, as written.
 *
 * @param root the file's keys in author order
 * @param splices values that need the composed tree, in file order
 * @param headerComment text after {@code # @package} in the comments before the first key; present but empty when the
 *     comment names no package
 * @param warnings what the user should know, one line each
 */
record HoconDocument(MapNode root, List<Splice> splices, Optional<String> headerComment, List<String> warnings) {
    HoconDocument {
        splices = List.copyOf(splices);
        warnings = List.copyOf(warnings);
    }
}
