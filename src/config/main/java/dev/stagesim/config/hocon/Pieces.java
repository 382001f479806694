package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Concatenates the parts of one value: text with text, lists with lists, maps with maps. */
record Pieces(List<Piece> pieces, References references, TextCursor text) {
    /** Returns the value as a concatenation if it depends on the composed tree and is not an interpolated string. */
    Optional<Concatenation> concatenation(List<String> key, Origin where) {
        boolean structured = false;
        boolean refers = false;
        boolean self = false;
        for (Piece piece : pieces) {
            structured |= piece instanceof Piece.Literal;
            if (piece instanceof Piece.Reference reference) {
                refers = true;
                self |= references.absolute(reference.path()).equals(key);
            }
        }
        if (!refers || (!structured && !self)) {
            return Optional.empty();
        }
        checkNeighbours();
        List<Concatenation.Part> parts = new ArrayList<>();
        for (Piece piece : pieces) {
            if (!(structured && piece instanceof Piece.Text space && space.blank())) {
                parts.add(part(piece, key));
            }
        }
        return Optional.of(new Concatenation(key, parts, where));
    }

    /** Checks that adjacent literal parts have the same kind. The values of references are unknown here. */
    private void checkNeighbours() {
        Class<?> before = Piece.Reference.class;
        for (Piece piece : pieces) {
            if (!(piece instanceof Piece.Text space && space.blank())) {
                Class<?> kind =
                        piece instanceof Piece.Literal literal ? literal.node().getClass() : piece.getClass();
                if (kind != before && kind != Piece.Reference.class && before != Piece.Reference.class) {
                    throw unlike();
                }
                before = kind;
            }
        }
    }

    private StageException unlike() {
        return text.error("a map or a list can only be joined with another value of the same kind");
    }

    private Concatenation.Part part(Piece piece, List<String> key) {
        if (piece instanceof Piece.Reference reference) {
            List<String> target = references.absolute(reference.path());
            boolean self = target.equals(key);
            return new Concatenation.Part(Optional.empty(), target, self, reference.optional());
        }
        if (piece instanceof Piece.Literal literal) {
            return Concatenation.Part.literal(literal.node());
        }
        Piece.Text word = (Piece.Text) piece;
        return Concatenation.Part.literal(ScalarNode.of(word.text(), word.origin()));
    }

    /** Returns the value as a node. Parts that refer to other keys become an interpolated string. */
    Node node() {
        if (pieces.isEmpty()) {
            throw text.error("expected a value");
        }
        if (pieces.get(0) instanceof Piece.Literal first) {
            Node joined = first.node();
            for (Piece piece : pieces.subList(1, pieces.size())) {
                joined = joinLiteral(joined, piece);
            }
            return joined;
        }
        return scalar();
    }

    private Node joinLiteral(Node before, Piece piece) {
        if (piece instanceof Piece.Text space && space.blank()) {
            return before;
        }
        if (piece instanceof Piece.Literal literal) {
            if (before instanceof ListNode first && literal.node() instanceof ListNode second) {
                List<Node> items = new ArrayList<>(first.items());
                items.addAll(second.items());
                return new ListNode(items, first.origin());
            }
            if (before instanceof MapNode first && literal.node() instanceof MapNode second) {
                TreeBuilder both = new TreeBuilder(first.origin());
                first.entries().forEach((key, value) -> both.put(List.of(key), value));
                second.entries().forEach((key, value) -> both.put(List.of(key), value));
                return both.build();
            }
        }
        throw unlike();
    }

    private Node scalar() {
        boolean allPlain = true;
        StringBuilder out = new StringBuilder();
        Origin where = null;
        for (Piece piece : pieces) {
            allPlain &= piece instanceof Piece.Text word && !word.quoted();
            if (piece instanceof Piece.Literal literal) {
                throw text.error("text cannot be joined with the map or list of "
                        + literal.node().origin().describe());
            }
            if (piece instanceof Piece.Reference reference) {
                out.append(references.interpolation(reference.path(), reference.optional()));
                where = where == null ? reference.origin() : where;
            } else if (piece instanceof Piece.Text word) {
                out.append(word.text());
                where = where == null ? word.origin() : where;
            }
        }
        Origin origin = where == null ? Origin.UNKNOWN : where;
        return allPlain ? Scalars.typed(out.toString(), origin) : ScalarNode.of(out.toString(), origin);
    }
}
