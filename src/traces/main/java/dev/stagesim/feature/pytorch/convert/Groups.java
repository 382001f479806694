package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.JsonCursor;
import dev.stagesim.feature.pytorch.trace.OpText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Process groups: their ranks, and their numbers in the converted trace.
 *
 * <p>Ranks come from {@code process_group:init}, or otherwise from the profiler; a group with neither contains all
 * ranks. Numeric names are kept. Other names are mapped to a number computed from name and ranks, which is the same on
 * every rank.
 */
final class Groups {
    private static final int MAX_DIGITS = 9;
    private static final int MAX_NUMBER = 999_999_999;

    private final Map<String, List<Integer>> declared = new TreeMap<>();
    private final SortedMap<Integer, List<Integer>> used = new TreeMap<>();

    Groups(NodeTree tree) {
        for (int i = 0; i < tree.size(); i++) {
            if (tree.node(i).isMetadata() && tree.node(i).op().text().has(OpText.Part.INPUT_VALUES)) {
                read(CommBytes.cursor(tree.node(i).op().text(), OpText.Part.INPUT_VALUES));
            }
        }
    }

    /** Parses {@code ["[{\"pg_name\": \"1\", \"ranks\": [0, 2], ...}]"]}. */
    private void read(JsonCursor values) {
        if (!values.enter('[')) {
            return;
        }
        while (values.more()) {
            byte[] inner = values.text().getBytes(StandardCharsets.UTF_8);
            JsonCursor list = new JsonCursor(inner, 0, inner.length);
            if (list.enter('[')) {
                while (list.more()) {
                    group(list);
                }
            }
        }
    }

    private void group(JsonCursor list) {
        if (!list.enter('{')) {
            list.skip();
            return;
        }
        String name = "";
        List<Integer> ranks = new ArrayList<>();
        while (list.more()) {
            String key = list.text();
            list.more();
            if (key.equals("pg_name")) {
                name = list.text();
            } else if (key.equals("ranks") && list.enter('[')) {
                while (list.more()) {
                    ranks.add((int) list.whole(Peers.NONE));
                }
            } else {
                list.skip();
            }
        }
        declared.put(name, ranks);
    }

    /** Returns the ranks of a group; empty for all ranks or if unknown. */
    List<Integer> ranks(CommFacts facts) {
        List<Integer> listed = declared.getOrDefault(facts.groupName().orElse(""), List.of());
        return listed.isEmpty() ? facts.groupRanks() : listed;
    }

    /**
     * Returns the number of a communication's group as text and marks the group as used; empty for the group of all
     * ranks.
     */
    String number(String name, CommFacts facts) {
        List<Integer> ranks = declared.getOrDefault(name, List.of());
        if (ranks.isEmpty()) {
            ranks = facts.groupRanks();
        }
        if (name.isEmpty() || name.matches("0+") || ranks.isEmpty()) {
            return "";
        }
        int number = name.length() <= MAX_DIGITS && name.chars().allMatch(Character::isDigit)
                ? Integer.parseInt(name)
                : 1 + Math.floorMod(31 * name.hashCode() + ranks.hashCode(), MAX_NUMBER);
        used.put(number, ranks);
        return Integer.toString(number);
    }

    /** Ranks of the used groups, by number. */
    SortedMap<Integer, List<Integer>> used() {
        return used;
    }
}
