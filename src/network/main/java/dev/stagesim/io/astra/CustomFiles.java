package dev.stagesim.io.astra;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.trace.CustomCollective;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Custom collectives of a system: for a kind, or for single nodes by a YAML map from id to prefix. */
public final class CustomFiles {
    private CustomFiles() {}

    /** Traces by kind of collective; prefixes are relative to {@code home}. */
    public static Map<CollectiveKind, CustomCollective> collectives(SystemFile system, TraceFiles reader, Path home)
            throws IOException {
        Map<CollectiveKind, CustomCollective> all = new EnumMap<>(CollectiveKind.class);
        for (Map.Entry<CollectiveKind, Path> entry : system.custom().entrySet()) {
            all.put(
                    entry.getKey(),
                    reader.collective(home.resolve(entry.getValue().toString())));
        }
        return all;
    }

    /** Traces by node id; the map and its prefixes are relative to {@code home}. */
    public static Map<Long, CustomCollective> nodes(SystemFile system, TraceFiles reader, Path home)
            throws IOException {
        Map<Long, CustomCollective> all = new LinkedHashMap<>();
        for (Map.Entry<Long, Path> entry : prefixes(system, home).entrySet()) {
            all.put(entry.getKey(), reader.collective(entry.getValue()));
        }
        return all;
    }

    /** The files of these traces, and the map. */
    public static List<Path> files(SystemFile system, Path home) throws IOException {
        List<Path> prefixes = new ArrayList<>();
        system.custom().values().forEach(prefix -> prefixes.add(home.resolve(prefix.toString())));
        List<Path> files = new ArrayList<>();
        if (system.keys().custom().perNode().isPresent()) {
            files.add(home.resolve(system.keys().custom().perNode().get().toString()));
            prefixes.addAll(prefixes(system, home).values());
        }
        for (Path prefix : prefixes) {
            RankFiles ranks = RankFiles.of(prefix);
            int positions = ranks.count(0);
            files.addAll(positions == 0 ? List.of(RankFiles.file(prefix, 0)) : ranks.inputs(positions));
        }
        return files;
    }

    private static Map<Long, Path> prefixes(SystemFile system, Path home) throws IOException {
        Map<Long, Path> prefixes = new LinkedHashMap<>();
        if (system.keys().custom().perNode().isEmpty()) {
            return prefixes;
        }
        LocatedJson map =
                Yaml.read(home.resolve(system.keys().custom().perNode().get().toString()));
        List<Problem> problems = new ArrayList<>();
        map.members().forEach((id, prefix) -> {
            if (id.matches("\\d{1,18}")) {
                prefixes.put(
                        Long.parseLong(id), InputFile.beside(home.resolve("x"), prefix.asString(), prefix.where()));
            } else {
                problems.add(prefix.problem("'" + id + "' is no id of a node, expected a whole number"));
            }
        });
        StageException.refuse(problems);
        return prefixes;
    }
}
