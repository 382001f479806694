package dev.stagesim.config.compose;

import dev.stagesim.config.compose.DefaultsNode.Kind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Turns a grown defaults tree into the final list, depth first, and into its public form. */
final class Flattener {
    private final List<DefaultEntry> list = new ArrayList<>();

    private Flattener() {}

    /**
     * The final list of several trees, in merge order.
     *
     * @throws dev.stagesim.model.StageException when a choice key appears twice
     */
    static List<DefaultEntry> flatten(List<TreeNode> roots) {
        Flattener flattener = new Flattener();
        roots.forEach(flattener::walk);
        Set<String> keys = new LinkedHashSet<>();
        for (DefaultEntry entry : flattener.list) {
            if (entry.key().isPresent() && !keys.add(entry.key().get())) {
                throw Errors.twice(entry, entry.key().get());
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
        if (entry.deleted || entry.isNothing() || (!entry.isSelf() && entry.isMissing())) {
            return;
        }
        TreeNode owner = entry.isSelf() && node.parent != null ? node.parent : node;
        String config = owner.entry.configPath();
        if (!config.equals(EngineConfigs.EMPTY)) {
            Optional<String> key = entry.isGroup() ? Optional.of(entry.key()) : Optional.empty();
            list.add(new DefaultEntry(
                    config, owner.entry.finalPackage(), owner.parentPath(), key, entry.isSelf(), owner.entry.primary));
        }
    }

    /** The public form of a tree. */
    static DefaultsNode view(TreeNode node) {
        Entry entry = node.entry;
        Kind kind = entry.isSelf() ? Kind.SELF : entry.isGroup() ? Kind.GROUP : Kind.CONFIG;
        return new DefaultsNode(
                kind,
                entry.name(),
                Optional.ofNullable(entry.option()),
                Optional.ofNullable(entry.pkg()),
                entry.optional,
                entry.deleted,
                entry.appended,
                node.children.stream().map(Flattener::view).toList());
    }
}
