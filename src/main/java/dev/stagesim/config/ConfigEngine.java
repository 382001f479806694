package dev.stagesim.config;

import dev.stagesim.config.compose.SearchRoot;
import java.util.List;

/**
 * Composes configurations from the files below a list of search roots.
 *
 * <p>Parsed files and expanded defaults are kept, so that composing many jobs of a sweep reads each file once. An
 * engine may be used by several threads.
 */
public final class ConfigEngine {
    private final List<SearchRoot> roots;

    private ConfigEngine(List<SearchRoot> roots) {
        this.roots = List.copyOf(roots);
    }

    /** Opens an engine over {@code roots}; a config found in an earlier root hides those of the same path in later ones. */
    public static ConfigEngine open(List<SearchRoot> roots) {
        return new ConfigEngine(roots);
    }

    public List<SearchRoot> roots() {
        return roots;
    }

    /**
     * Composes one configuration; a pure function of the files and the request.
     *
     * @throws dev.stagesim.model.StageException when a file or an override is wrong
     */
    public Composition compose(ComposeRequest request) {
        throw new UnsupportedOperationException("compose " + request);
    }

    /** The paths of all configs, without extension, sorted: primary configs are those without a slash. */
    public List<String> configs() {
        throw new UnsupportedOperationException("configs");
    }

    /** The paths of all groups (directories), nested ones included, sorted. */
    public List<String> groups() {
        throw new UnsupportedOperationException("groups");
    }

    /** The options directly inside {@code group}, sorted; empty when there is no such group. */
    public List<String> options(String group) {
        throw new UnsupportedOperationException("options " + group);
    }

    /** The options inside {@code group} and its nested groups ({@code tf/a}), sorted; globs match against these. */
    public List<String> optionsBelow(String group) {
        throw new UnsupportedOperationException("options below " + group);
    }
}
