package dev.stagesim.config.compose;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One node of a defaults tree during expansion. A node without children is a leaf of the final list. */
final class TreeNode {
    final Entry entry;
    final @Nullable TreeNode parent;
    final List<TreeNode> children = new ArrayList<>();

    TreeNode(Entry entry, @Nullable TreeNode parent) {
        this.entry = entry;
        this.parent = parent;
    }

    /** Returns true if the command line added this entry, or one above it. */
    boolean isAdded() {
        return entry.appended || (parent != null && parent.isAdded());
    }

    String parentPath() {
        return parent == null ? "<root>" : parent.entry.configPath();
    }

    /** Returns the configs from the root of the tree to this node. */
    List<String> path() {
        List<String> path = parent == null ? new ArrayList<>() : parent.path();
        path.add(entry.configPath());
        return path;
    }
}
