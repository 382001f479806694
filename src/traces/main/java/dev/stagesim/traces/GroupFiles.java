package dev.stagesim.traces;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.CommGroups;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Files of communicator groups (JSON): ranks in ring order, by group id. */
public final class GroupFiles {
    private GroupFiles() {}

    /**
     * Reads a file.
     *
     * @param npus number of NPUs; ranks must be below it
     */
    public static CommGroups read(Path path, int npus) throws IOException {
        LocatedJson file = Json.read(path);
        Map<Integer, List<Integer>> groups = new TreeMap<>();
        List<Problem> problems = new ArrayList<>();
        file.members().forEach((id, ranks) -> {
            if (!id.matches("0*[1-9]\\d{0,8}")) {
                problems.add(
                        Problem.config(ranks.where(), "the id '" + id + "' is not an integer from 1 to 999999999"));
            } else if (groups.put(Integer.parseInt(id), ranks(ranks, npus, problems)) != null) {
                problems.add(Problem.config(ranks.where(), "the id " + Integer.parseInt(id) + " appears twice"));
            }
        });
        StageException.refuse(problems);
        return new CommGroups(groups);
    }

    private static List<Integer> ranks(LocatedJson list, int npus, List<Problem> problems) {
        Set<Integer> ranks = new LinkedHashSet<>();
        if (!(list.value() instanceof JsonValue.Arr items) || items.items().isEmpty()) {
            problems.add(Problem.config(
                    list.where(), "found " + Json.describe(list.value()) + ", expected a list of ranks"));
            return List.of();
        }
        for (LocatedJson item : list.items()) {
            if (!(item.value() instanceof JsonValue.Int rank) || rank.value() < 0 || rank.value() >= npus) {
                problems.add(Problem.config(
                        item.where(),
                        "found " + Json.describe(item.value()) + ", expected a rank from 0 to " + (npus - 1)));
            } else if (!ranks.add((int) rank.value())) {
                problems.add(Problem.config(item.where(), "rank " + rank.value() + " is in the group twice"));
            }
        }
        return List.copyOf(ranks);
    }

    public static JsonValue.Obj json(CommGroups groups) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        groups.groups()
                .forEach((id, ranks) -> members.put(
                        Integer.toString(id),
                        JsonValue.of(ranks.stream()
                                .map(rank -> JsonValue.of(rank.longValue()))
                                .toList())));
        return JsonValue.of(members);
    }
}
