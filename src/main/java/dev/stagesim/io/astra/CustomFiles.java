package dev.stagesim.io.astra;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.CollectiveKind;
import dev.stagesim.sim.collective.CustomCollective;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collectives that a system gives as traces: for a kind, or for single nodes by a YAML map from id to prefix. */
public final class CustomFiles {
    private CustomFiles() {}

    /** The traces of each kind of collective that has some. */
    public static Map<CollectiveKind, CustomCollective> collectives(SystemFile system, TraceFiles reader)
            throws IOException {
        Map<CollectiveKind, CustomCollective> all = new EnumMap<>(CollectiveKind.class);
        for (Map.Entry<CollectiveKind, String> entry : system.custom().entrySet()) {
            all.put(entry.getKey(), reader.collective(Path.of(entry.getValue())));
        }
        return all;
    }

    /** The traces of each node that has some, by its id. */
    public static Map<Long, CustomCollective> nodes(SystemFile system, TraceFiles reader) throws IOException {
        Map<Long, CustomCollective> all = new LinkedHashMap<>();
        for (Map.Entry<Long, Path> entry : prefixes(system).entrySet()) {
            all.put(entry.getKey(), reader.collective(entry.getValue()));
        }
        return all;
    }

    /** The files that these traces are in, and the map. */
    public static List<Path> files(SystemFile system) throws IOException {
        List<Path> prefixes = new ArrayList<>();
        system.custom().values().forEach(prefix -> prefixes.add(Path.of(prefix)));
        List<Path> files = new ArrayList<>();
        if (system.perNodeCustom().isPresent()) {
            files.add(Path.of(system.perNodeCustom().get()));
            prefixes.addAll(prefixes(system).values());
        }
        for (Path prefix : prefixes) {
            int position = 0;
            do {
                files.add(TraceFiles.file(prefix, position++));
            } while (Files.exists(TraceFiles.file(prefix, position)));
        }
        return files;
    }

    private static Map<Long, Path> prefixes(SystemFile system) throws IOException {
        Map<Long, Path> prefixes = new LinkedHashMap<>();
        if (system.perNodeCustom().isEmpty()) {
            return prefixes;
        }
        JsonAt map = Yaml.read(Path.of(system.perNodeCustom().get()));
        List<Problem> problems = new ArrayList<>();
        map.members().forEach((id, prefix) -> {
            if (id.matches("\\d{1,18}")) {
                prefixes.put(Long.parseLong(id), Path.of(prefix.asString()));
            } else {
                problems.add(prefix.problem("'" + id + "' is no id of a node, expected a whole number"));
            }
        });
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        return prefixes;
    }
}
