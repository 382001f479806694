package dev.stagesim.io.chakra;

import dev.stagesim.model.trace.EtNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Converts nodes of traces. Traces of different ranks have mostly equal messages at equal positions, so a message that
 * equals the last one at its position is neither parsed nor converted again. Contains the messages of one file.
 *
 * @param <T> the converted node, which must not change
 */
public final class NodeMemo<T> {
    private final Function<EtNode, T> conversion;
    private final List<byte[]> messages = new ArrayList<>();
    private final List<T> results = new ArrayList<>();

    /** Creates an empty memo. */
    public NodeMemo(Function<EtNode, T> conversion) {
        this.conversion = conversion;
    }

    /** Parser of the current message. */
    interface Parser {
        EtNode parse() throws IOException;
    }

    T convert(EtNode node) {
        return conversion.apply(node);
    }

    /** Converts the message at a position of its file, from 0, which is parsed if necessary. */
    T convert(int position, byte[] bytes, int length, Parser parser) throws IOException {
        boolean isNew = position >= messages.size();
        byte[] before = isNew ? new byte[0] : messages.get(position);
        if (!isNew && Arrays.equals(before, 0, before.length, bytes, 0, length)) {
            return results.get(position);
        }
        T result = conversion.apply(parser.parse());
        if (isNew) {
            messages.add(Arrays.copyOf(bytes, length));
            results.add(result);
        } else {
            messages.set(position, Arrays.copyOf(bytes, length));
            results.set(position, result);
        }
        return result;
    }
}
