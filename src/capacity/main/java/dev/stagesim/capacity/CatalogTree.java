package dev.stagesim.capacity;

import dev.stagesim.io.fabric.Catalog;
import dev.stagesim.io.fabric.CatalogDocument;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.fabric.EntryReader;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tree of a catalog entry, from the YAML file or from the settings. Stages that run a catalog workload check it before the
 * run.
 */
public final class CatalogTree {
    /** Keys that are not part of the entry. */
    private static final List<String> EXCLUDED_KEYS =
            List.of("dir", "file", "entry", "custom", "requests_per_phase", "seed");

    private CatalogTree() {}

    /**
     * Returns the tree; only the syntax of the file is checked.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    public static JsonValue.Obj of(CatalogWorkload settings, Path home) throws IOException {
        return settings.source().file().isPresent()
                ? fromFile(
                        ShippedFiles.locate(settings.source().file().get(), home),
                        settings.source().entry())
                : fromSettings(settings);
    }

    /**
     * Returns the checked entry; empty if its directory or file does not exist, which other checks report.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    public static Optional<CatalogEntry> entry(CatalogWorkload settings, Path home) throws IOException {
        if (settings.dir().isPresent()) {
            Path document = settings.dir().get().resolve(CatalogDocument.FILE);
            return Files.isRegularFile(document)
                    ? Optional.of(
                            EntryReader.read(CatalogDocument.read(document).entry(), document.toString()))
                    : Optional.empty();
        }
        Optional<Path> file = settings.source().file().map(given -> ShippedFiles.locate(given, home));
        if (file.filter(found -> !Files.isRegularFile(found)).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(EntryReader.read(of(settings, home), source(settings)));
    }

    /** Returns the name of the entry in messages. */
    public static String source(CatalogWorkload settings) {
        return settings.source()
                .file()
                .map(file -> file
                        + settings.source()
                                .entry()
                                .map(name -> ": workload " + name)
                                .orElse(""))
                .orElse("workload");
    }

    /** Returns the keys that the settings state. Parallelism is included only if it differs from the defaults. */
    public static List<String> statedKeys(CatalogWorkload settings) {
        JsonValue.Obj tree = fromSettings(settings);
        CatalogWorkload.Parallelism defaults = new CatalogWorkload.Parallelism(1, 1, 1);
        return tree.members().entrySet().stream()
                .filter(member -> !member.getValue().equals(JsonValue.EMPTY))
                .map(Map.Entry::getKey)
                .filter(key -> !key.equals("parallelism")
                        || !settings.shape().parallelism().equals(defaults))
                .toList();
    }

    private static JsonValue.Obj fromFile(Path file, Optional<String> name) throws IOException {
        List<String> names = Catalog.names(file);
        if (name.isEmpty() && names.size() != 1) {
            throw StageException.input(
                    Problem.config("workload.entry", file + " has " + names.size() + " entries; select one")
                            .options(names));
        }
        return Catalog.entry(file, "workload", name.orElseGet(() -> names.get(0)));
    }

    private static JsonValue.Obj fromSettings(CatalogWorkload settings) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        settings.custom().forEach((key, text) -> members.put(key, JsonValue.of(text)));
        members.putAll(RecordJson.sparse(settings).without(EXCLUDED_KEYS).members());
        if (settings.schedule().phases().isEmpty()) {
            members.remove("schedule");
        } else {
            List<JsonValue.Obj> phases = settings.schedule().phases().stream()
                    .map(CatalogTree::phase)
                    .toList();
            members.put("schedule", RecordJson.sparse(settings.schedule()).with("phases", JsonValue.of(phases)));
        }
        return withoutEmpty(JsonValue.of(members), "runtime_tuning");
    }

    private static JsonValue.Obj phase(CatalogWorkload.Phase phase) {
        CatalogWorkload.Overrides phaseOverrides = phase.overrides();
        JsonValue.Obj overrides = RecordJson.sparse(phaseOverrides).without(List.of("dp"));
        if (phaseOverrides.dp().isPresent()) {
            overrides = overrides.with(
                    "parallelism",
                    JsonValue.object().put("dp", phaseOverrides.dp().get()).build());
        }
        JsonValue.Obj tree = RecordJson.sparse(phase).with("overrides", withoutEmpty(overrides, "sequence"));
        return withoutEmpty(tree, "arrival", "overrides");
    }

    private static JsonValue.Obj withoutEmpty(JsonValue.Obj tree, String... names) {
        return tree.without(Arrays.stream(names)
                .filter(name -> tree.get(name).equals(Optional.of(JsonValue.EMPTY)))
                .toList());
    }
}
