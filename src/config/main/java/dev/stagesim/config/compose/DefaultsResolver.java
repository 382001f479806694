package dev.stagesim.config.compose;

import dev.stagesim.config.compose.source.EngineConfigs;
import dev.stagesim.config.compose.source.Repository;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Determines the final defaults list of a primary config for one command line.
 *
 * <p>An override entry may name a group that was expanded before the config with that entry. Hydra reports an
 * error. The stage dialect starts another pass that applies the override from the beginning, and repeats until the set
 * of overrides no longer changes. An override is dropped when its config is no longer in the tree. A tree that Hydra
 * accepts needs one pass.
 */
record DefaultsResolver(
        Repository repository,
        GroupOverrides overrides,
        Composer.Request request,
        Function<String, Optional<String>> environment) {
    private static final int MAX_PASSES = 64;

    /**
     * The result of a resolution.
     *
     * @param list the final list in merge order, engine configs first
     * @param tree the tree of the primary config
     * @param choices options by choice key
     */
    record Resolved(List<DefaultEntry> list, DefaultsNode tree, Map<String, Optional<String>> choices) {}

    Resolved resolve(String primary) {
        Map<String, Choice> preset = new LinkedHashMap<>();
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            Expander expander = new Expander(repository, overrides, preset, request, environment);
            Resolved resolved = null;
            StageException failure = null;
            try {
                resolved = pass(expander, primary);
            } catch (StageException wrong) {
                failure = wrong;
            }
            Map<String, Choice> next =
                    request.rules().appliesLateOverrides() ? next(preset, expander, failure) : preset;
            if (next.equals(preset)) {
                if (resolved == null || failure != null) {
                    throw failure == null ? new IllegalStateException("a pass ended without a result") : failure;
                }
                return resolved;
            }
            preset = next;
        }
        throw Errors.unsettled(preset.keySet());
    }

    private Map<String, Choice> next(Map<String, Choice> preset, Expander expander, @Nullable StageException failure) {
        Map<String, Choice> next = new LinkedHashMap<>(preset);
        if (failure == null) {
            next.keySet().retainAll(expander.declared.keySet());
            next.replaceAll((key, choice) -> expander.declared.getOrDefault(key, choice));
        }
        expander.late.forEach(next::putIfAbsent);
        return next;
    }

    private Resolved pass(Expander expander, String primary) {
        TreeNode root;
        List<DefaultEntry> list;
        try {
            root = expander.root(primary, true);
            TreeNode engine = expander.root(EngineConfigs.ROOT, false);
            list = Flattener.flatten(List.of(engine, root));
        } catch (StageException wrong) {
            throw expander.failed(wrong);
        }
        expander.checkUsed();
        return new Resolved(list, Flattener.view(root), expander.known.all());
    }

    /** Converts an expanded defaults tree into the final list, depth first, and into its public form. */
    private static final class Flattener {
        private final List<DefaultEntry> list = new ArrayList<>();

        private Flattener() {}

        /**
         * Returns the final list of several trees, in merge order.
         *
         * @throws dev.stagesim.model.StageException if a choice key appears twice
         */
        static List<DefaultEntry> flatten(List<TreeNode> roots) {
            Flattener flattener = new Flattener();
            roots.forEach(flattener::walk);
            Set<String> keys = new LinkedHashSet<>();
            for (DefaultEntry entry : flattener.list) {
                if (entry.key().isPresent() && !keys.add(entry.key().get())) {
                    throw Errors.duplicateEntry(entry, entry.key().get());
                }
            }
            return flattener.list;
        }

        private void walk(TreeNode node) {
            if (!node.children.isEmpty()) {
                node.children.forEach(this::walk);
                return;
            }
            Entry entry = node.entry;
            if (entry.deleted || entry.hasNoOption() || (!entry.isSelf() && entry.isMissing())) {
                return;
            }
            TreeNode owner = entry.isSelf() && node.parent != null ? node.parent : node;
            String config = owner.entry.configPath();
            if (!config.equals(EngineConfigs.EMPTY)) {
                Optional<String> key = entry.isGroup() ? Optional.of(entry.key()) : Optional.empty();
                list.add(new DefaultEntry(
                        config,
                        owner.entry.finalPackage(),
                        owner.parentPath(),
                        key,
                        entry.isSelf(),
                        owner.entry.primary));
            }
        }

        /** Returns the public form of a tree. */
        static DefaultsNode view(TreeNode node) {
            Entry entry = node.entry;
            return new DefaultsNode(
                    entry.kind(),
                    entry.name(),
                    Optional.ofNullable(entry.option()),
                    Optional.ofNullable(entry.pkg()),
                    entry.optional,
                    entry.deleted,
                    entry.appended,
                    node.children.stream().map(Flattener::view).toList());
        }
    }
}
