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

/** Joins the parts of one value: text to text, lists to lists, maps to maps. */
record Pieces(List<Piece> pieces, References references, TextCursor text) {
    /** The value when it depends on the composed tree and cannot be said as an interpolated string. */
    Optional<Splice> splice(List<String> key, Origin where) {
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
        List<Splice.Part> parts = new ArrayList<>();
        for (Piece piece : pieces) {
            if (!(structured && piece instanceof Piece.Text space && space.blank())) {
                parts.add(part(piece, key));
            }
        }
        return Optional.of(new Splice(key, parts, where));
    }

    /** What a reference stands for is not known yet, but the rest must fit. */
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
        return text.error("a map or a list can only be joined with another of its kind");
    }

    private Splice.Part part(Piece piece, List<String> key) {
        if (piece instanceof Piece.Reference reference) {
            List<String> target = references.absolute(reference.path());
            boolean self = target.equals(key);
            return new Splice.Part(Optional.empty(), target, self, reference.optional());
        }
        if (piece instanceof Piece.Literal literal) {
            return Splice.Part.literal(literal.node());
        }
        Piece.Text word = (Piece.Text) piece;
        return Splice.Part.literal(ScalarNode.of(word.text(), word.origin()));
    }

    /** The value as a node; parts that refer to other keys become an interpolated string. */
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
