package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import java.util.List;

/** One part of a value as written. Adjacent parts are concatenated. */
sealed interface Piece {
    /** Text, quoted or not. {@code blank} marks the blanks between two other parts. */
    record Text(String text, boolean quoted, boolean blank, Origin origin) implements Piece {}

    /** A map or a list. */
    record Literal(Node node) implements Piece {}

    /** A native substitution, {@code ${path}} or {@code ${?path}}. */
    record Reference(List<String> path, boolean optional, Origin origin) implements Piece {
        public Reference {
            path = List.copyOf(path);
        }
    }
}
