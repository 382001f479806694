package dev.stagesim.verify.chakra;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The structure of a graph in Graphviz's language, without its layout. */
final class DotStructure {
    private final String text;
    private int at;
    private final Map<String, String> nodes = new TreeMap<>();
    private final List<String> edges = new ArrayList<>();

    private DotStructure(String text) {
        this.text = text;
    }

    /** Nodes with their labels and shapes, then edges with their arrows, each sorted. */
    static List<String> of(String text) {
        DotStructure structure = new DotStructure(text);
        structure.read();
        List<String> lines = new ArrayList<>();
        structure.nodes.forEach((id, facts) -> lines.add("node " + id + facts));
        structure.edges.sort(String::compareTo);
        lines.addAll(structure.edges);
        return lines;
    }

    private void read() {
        for (String token = token(); !token.isEmpty(); token = token()) {
            if (token.equals("digraph") || (token.length() == 1 && "{};".contains(token))) {
                continue;
            }
            if (peek("->")) {
                token();
                String target = token();
                Map<String, String> attributes = attributes();
                edges.add("edge " + token + " " + target + " " + attributes.get("arrowhead"));
                nodes.putIfAbsent(token, "");
                nodes.putIfAbsent(target, "");
            } else {
                Map<String, String> attributes = attributes();
                if (attributes.containsKey("shape")) {
                    nodes.put(
                            token,
                            " " + attributes.get("shape") + " " + attributes.get("id") + " " + attributes.get("label"));
                } else if (!token.equals("graph") && !token.equals("node") && !token.equals("edge")) {
                    nodes.putIfAbsent(token, "");
                }
            }
        }
    }

    private boolean peek(String wanted) {
        int before = at;
        boolean isNext = token().equals(wanted);
        at = before;
        return isNext;
    }

    private Map<String, String> attributes() {
        Map<String, String> found = new TreeMap<>();
        if (!peek("[")) {
            return found;
        }
        token();
        for (String name = token(); !name.equals("]") && !name.isEmpty(); name = token()) {
            if (!name.equals(",") && !name.equals(";")) {
                token();
                found.put(name, token());
            }
        }
        return found;
    }

    /** Returns the next word, string or symbol; empty at the end. */
    private String token() {
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
        if (at == text.length()) {
            return "";
        }
        char first = text.charAt(at);
        if (first == '"') {
            return quoted();
        }
        if (text.startsWith("->", at)) {
            at += 2;
            return "->";
        }
        int from = at;
        while (at < text.length() && isWord(text.charAt(at))) {
            at++;
        }
        at += at == from ? 1 : 0;
        return text.substring(from, at);
    }

    /** Returns true for ASCII white space. In Graphviz's language, non-ASCII characters are parts of words. */
    private static boolean isBlank(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c > 0x7f;
    }

    private String quoted() {
        StringBuilder out = new StringBuilder();
        at++;
        while (at >= text.length() || text.charAt(at) != '"') {
            if (at + 1 >= text.length()) {
                throw StageException.input(Problem.of("graph", "label", "the string is not terminated"));
            }
            if (text.startsWith("\\\n", at)) {
                at += 2;
            } else if (text.startsWith("\\\"", at)) {
                out.append('"');
                at += 2;
            } else if (text.charAt(at) == '\\') {
                out.append(text, at, at + 2);
                at += 2;
            } else {
                out.append(text.charAt(at++));
            }
        }
        at++;
        return out.toString();
    }
}
