package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.Origin;
import java.util.ArrayList;
import java.util.List;

/**
 * A dotted key as written.
 *
 * @param elements the names between the dots
 */
record KeyPath(List<String> elements) {
    KeyPath {
        elements = List.copyOf(elements);
    }

    /** Reads the key at the cursor and leaves the cursor behind it and the blanks that follow. */
    static KeyPath read(TextCursor text) {
        return read(text, ":={+\n,}[]#");
    }

    /** Reads a substitution, the cursor being at its dollar sign. */
    static Piece.Reference reference(TextCursor text) {
        Origin where = text.origin();
        text.skip(2);
        boolean optional = text.peek() == '?';
        if (optional) {
            text.next();
        }
        int start = text.position();
        KeyPath path = read(text, "}\n");
        HoconSyntax.checkReference(text.since(start), text);
        text.skip(1);
        return new Piece.Reference(path.elements(), optional, where);
    }

    private static KeyPath read(TextCursor text, String ends) {
        List<String> elements = new ArrayList<>();
        StringBuilder element = new StringBuilder();
        boolean elementQuoted = false;
        text.skipBlanks();
        while (!text.atEnd()) {
            char c = text.peek();
            if (c == '"') {
                element.append(Quoted.read(text));
                elementQuoted = true;
            } else if (c == '.') {
                text.next();
                elements.add(
                        elementQuoted ? element.toString() : element.toString().strip());
                element.setLength(0);
                elementQuoted = false;
            } else if (ends.indexOf(c) >= 0) {
                break;
            } else if (elementQuoted && TextCursor.isBlank(c)) {
                // blanks behind a quoted name belong to it only when more text follows
                int start = text.position();
                text.skipBlanks();
                if (text.atEnd() || ends.indexOf(text.peek()) >= 0) {
                    break;
                }
                element.append(text.since(start));
            } else {
                element.append(text.next());
            }
        }
        elements.add(elementQuoted ? element.toString() : element.toString().strip());
        return new KeyPath(elements);
    }
}
