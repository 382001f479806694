package dev.stagesim.io.json.pytorch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.stagesim.sim.trace.pytorch.CommFacts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads what a linked trace knows about a communication. */
final class CommMember {
    private final JsonParser in;
    private final Map<String, String> texts = new TreeMap<>();
    private final Map<String, Long> numbers = new TreeMap<>();
    private final List<Integer> ranks = new ArrayList<>();

    CommMember(JsonParser in) {
        this.in = in;
    }

    CommFacts read(JsonToken first) throws IOException {
        if (first != JsonToken.START_OBJECT) {
            in.skipChildren();
            return CommFacts.NONE;
        }
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            JsonToken value = in.nextToken();
            if (value == JsonToken.VALUE_NUMBER_INT) {
                numbers.put(name, in.getLongValue());
            } else if (value == JsonToken.VALUE_STRING) {
                texts.put(name, in.getText());
            } else if (value == JsonToken.START_ARRAY && name.equals("ranks")) {
                while (in.nextToken() == JsonToken.VALUE_NUMBER_INT) {
                    ranks.add(in.getIntValue());
                }
            } else {
                in.skipChildren();
            }
        }
        return new CommFacts(
                Optional.ofNullable(texts.get("collective_name")),
                Optional.ofNullable(texts.get("dtype")),
                number("in_msg_nelems"),
                number("out_msg_nelems"),
                Optional.ofNullable(texts.get("pg_name")),
                ranks,
                (int) number("src"),
                (int) number("dst"));
    }

    private long number(String name) {
        return numbers.getOrDefault(name, -1L);
    }
}
