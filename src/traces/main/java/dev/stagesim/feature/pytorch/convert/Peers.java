package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.JsonCursor;
import dev.stagesim.feature.pytorch.trace.OpText;
import dev.stagesim.feature.pytorch.trace.PlusNode;
import dev.stagesim.model.trace.NodeType;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Determines sender, receiver and tag of point-to-point transfers.
 *
 * <p>The other rank comes from the profiler ({@code Src Rank}, {@code Dst Rank}), from the callers' names ({@code
 * nccl:send 0->1}), or from the number before the operation's name in the inputs of {@code record_param_comms}. The
 * last two are ranks within the process group. Tags count the transfers between two ranks in a group, the order by
 * which NCCL matches them.
 */
final class Peers {
    /** No rank. */
    static final int NONE = -1;

    private static final int LEVELS = 4;
    private static final int TAGS_OF_GROUP = 1 << 20;
    private static final int MAX_GROUPS = 1 << 11;
    private static final Pattern NAMED = Pattern.compile("nccl:(?:send|recv) (\\d+)\\s*(?:->|<-)\\s*(\\d+)");

    private final NodeTree tree;
    private final int rank;
    private final Groups groups;
    private final Map<String, Integer> counts = new TreeMap<>();

    Peers(NodeTree tree, int rank, Groups groups) {
        this.tree = tree;
        this.rank = rank;
        this.groups = groups;
    }

    /** Returns the global rank of the remote side, or {@link #NONE}. */
    int peer(int position, NodeType type, CommFacts facts) {
        int noted = type == NodeType.COMM_SEND_NODE ? facts.target() : facts.source();
        if (noted >= 0) {
            return noted;
        }
        int above = tree.parent(position);
        for (int level = 0; level < LEVELS && above >= 0; level++) {
            int found = within(above);
            if (found >= 0) {
                return world(found, facts);
            }
            above = tree.parent(above);
        }
        return NONE;
    }

    private int within(int position) {
        PlusNode node = tree.node(position);
        Matcher named = NAMED.matcher(node.name());
        if (named.find()) {
            return Integer.parseInt(named.group(2));
        }
        return node.name().equals("record_param_comms") && node.op().text().has(OpText.Part.INPUT_VALUES)
                ? noted(CommBytes.cursor(node.op().text(), OpText.Part.INPUT_VALUES))
                : NONE;
    }

    /** Returns the number before {@code "send"} or {@code "recv"} in a list. */
    private static int noted(JsonCursor values) {
        if (!values.enter('[')) {
            return NONE;
        }
        long last = NONE;
        while (values.more()) {
            if (values.peek() == '"') {
                String text = values.text();
                if (text.startsWith("send") || text.startsWith("recv")) {
                    return (int) last;
                }
                last = NONE;
            } else {
                last = values.whole(NONE);
            }
        }
        return NONE;
    }

    /** Converts a rank within a group to a global rank. */
    private int world(int within, CommFacts facts) {
        List<Integer> ranks = groups.ranks(facts);
        return within < ranks.size() ? ranks.get(within) : within;
    }

    /** Returns the next tag between this rank and another. */
    int tag(NodeType type, int peer, String group) {
        boolean isSend = type == NodeType.COMM_SEND_NODE;
        String way = group + ' ' + (isSend ? rank : peer) + ' ' + (isSend ? peer : rank);
        int count = counts.merge(way, 1, Integer::sum) - 1;
        return number(group) * TAGS_OF_GROUP + count % TAGS_OF_GROUP;
    }

    private static int number(String group) {
        boolean isNumber =
                !group.isEmpty() && group.length() <= 4 && group.chars().allMatch(Character::isDigit);
        return isNumber ? Integer.parseInt(group) % MAX_GROUPS : 0;
    }
}
