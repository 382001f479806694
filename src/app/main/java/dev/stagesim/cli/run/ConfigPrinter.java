package dev.stagesim.cli.run;

import dev.stagesim.cli.console.AlignedTable;
import dev.stagesim.cli.console.Console;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigText;
import dev.stagesim.config.compose.DefaultEntry;
import dev.stagesim.config.compose.DefaultsNode;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.Optional;

/** Prints a composed configuration and its sources on stdout, because they are the result of the command. */
public record ConfigPrinter(Console console) {
    /** Prints the parts that {@code --cfg} selects. The tree is resolved if {@code --resolve} is given. */
    void cfg(ShowOptions show, Composition composition, MapNode tree) {
        ShowOptions.Cfg part = show.cfg();
        if (part != ShowOptions.Cfg.STAGE) {
            tree(tree, show);
        }
        if (part != ShowOptions.Cfg.JOB) {
            choices(composition);
            console.result("");
            searchPath(composition);
        }
    }

    /** Prints the tree, or the part that {@code --package} selects, as HOCON. */
    public void tree(MapNode tree, ShowOptions show) {
        Node part = below(tree, show.pkg());
        if (!show.pkg().isEmpty()) {
            console.result("# @package " + show.pkg());
        }
        console.out().print(ConfigText.hocon(part, show.origin()));
    }

    /** Prints the parts that {@code --info} selects. */
    public void info(ShowOptions.Info topic, Composition composition) {
        boolean all = topic == ShowOptions.Info.ALL;
        if (all || topic == ShowOptions.Info.SEARCHPATH) {
            searchPath(composition);
        }
        if (all || topic == ShowOptions.Info.DEFAULTS_TREE) {
            heading("Defaults tree", all);
            defaultsTree(composition.tree(), 0);
        }
        if (all || topic == ShowOptions.Info.DEFAULTS) {
            heading("Defaults list, in merge order", all);
            defaults(composition);
        }
        if (all || topic == ShowOptions.Info.CONFIG) {
            heading("Config", all);
            console.out().print(ConfigText.hocon(composition.config(), false));
        }
    }

    private void heading(String text, boolean wanted) {
        if (wanted) {
            console.result("");
            console.result(text);
        }
    }

    private void searchPath(Composition composition) {
        AlignedTable table = new AlignedTable().row("provider", "path");
        composition
                .searchPath()
                .forEach(root -> table.row(root.provider(), root.dir().toString()));
        table.lines().forEach(console::result);
    }

    private void choices(Composition composition) {
        AlignedTable table = new AlignedTable().row("choice", "option");
        composition.choices().forEach((key, option) -> table.row(key, option.orElse("null")));
        table.lines().forEach(console::result);
        if (!composition.overrides().isEmpty()) {
            console.result("");
            console.result("overrides");
            composition.overrides().forEach(text -> console.result("  " + text));
        }
    }

    private void defaults(Composition composition) {
        AlignedTable table = new AlignedTable().row("config", "package", "parent");
        for (DefaultEntry entry : composition.defaults()) {
            table.row(entry.config(), entry.pkg().isEmpty() ? "_global_" : entry.pkg(), entry.parent());
        }
        table.lines().forEach(console::result);
    }

    private void defaultsTree(DefaultsNode node, int depth) {
        StringBuilder line = new StringBuilder("  ".repeat(depth)).append(node.name());
        node.pkg().ifPresent(pkg -> line.append('@').append(pkg));
        if (node.kind() == DefaultsNode.Kind.GROUP) {
            line.append(": ").append(node.value().orElse("null"));
        }
        if (node.deleted()) {
            line.append("  (deleted)");
        }
        if (node.appended()) {
            line.append("  (appended)");
        }
        console.result(line.toString());
        node.children().forEach(child -> defaultsTree(child, depth + 1));
    }

    public static Node below(MapNode tree, String path) {
        Node at = tree;
        if (path.isEmpty() || "_global_".equals(path)) {
            return at;
        }
        for (String part : path.split("\\.", -1)) {
            at = child(at, part).orElseThrow(() -> missing(tree, path));
        }
        return at;
    }

    private static Optional<Node> child(Node node, String part) {
        if (node instanceof MapNode map) {
            return Optional.ofNullable(map.get(part));
        }
        if (node instanceof ListNode list && part.chars().allMatch(Character::isDigit)) {
            int index = Integer.parseInt(part);
            return index < list.items().size() ? Optional.of(list.items().get(index)) : Optional.empty();
        }
        return Optional.empty();
    }

    private static StageException missing(MapNode tree, String path) {
        return StageException.input(Problem.config("--package " + path, "no such path in the config")
                .options(tree.keys().stream().toList())
                .didYouMean(Suggest.near(path, tree.keys())));
    }
}
