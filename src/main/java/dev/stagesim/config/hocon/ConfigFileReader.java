package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads config files, {@code .conf} (HOCON) and {@code .json}, on any file system. */
public final class ConfigFileReader {
    private static final String PACKAGE = "_package_";
    private static final String VALUE = "_value_";
    private static final String DEFAULTS = "defaults";
    private static final int DEEPEST_INCLUDE = 50;

    private ConfigFileReader() {}

    /**
     * Reads {@code file}; files it includes must lie below {@code root}.
     *
     * @throws StageException when the file is not legal HOCON, or a directive in it is wrong
     */
    public static ConfigFile read(Path file, Path root) {
        return config(document(file, root, List.of(), 0), file.toString());
    }

    /**
     * Reads a config from text; it cannot include files.
     *
     * @param source how messages name the text
     */
    public static ConfigFile parse(String text, String source) {
        HoconSyntax.check(text, source);
        HoconParser parser = new HoconParser(
                new TextCursor(text, source), (name, prefix, where) -> Optional.empty(), References.root());
        return config(parser.parse(), source);
    }

    private static ConfigFile config(HoconDocument document, String source) {
        MapNode body = document.root();
        List<String> warnings = new ArrayList<>(document.warnings());
        Optional<String> pkg = packageOf(source, document, warnings);
        Optional<Node> value = Optional.ofNullable(body.get(VALUE));
        Optional<Node> defaults = Optional.ofNullable(body.get(DEFAULTS));
        MapNode rest = body.without(PACKAGE).without(DEFAULTS).without(VALUE);
        value.ifPresent(node -> checkValue(node, rest));
        return new ConfigFile(source, rest, defaults, pkg, value, document.splices(), warnings);
    }

    private static void checkValue(Node value, MapNode rest) {
        if (!(value instanceof ListNode)) {
            throw error(value.origin(), "_value_ must be a list");
        }
        if (!rest.isEmpty()) {
            throw error(
                    value.origin(),
                    "_value_ must stand alone, but the file also has " + String.join(", ", rest.keys()));
        }
    }

    private static Optional<String> packageOf(String source, HoconDocument document, List<String> warnings) {
        Node key = document.root().get(PACKAGE);
        Optional<String> comment = document.headerComment();
        if (comment.isPresent() && comment.get().isEmpty()) {
            throw error(Origin.file(source, 1), "the comment '# @package' names no package");
        }
        if (key == null) {
            return comment;
        }
        if (comment.isPresent()) {
            warnings.add(key.origin().describe()
                    + ": both _package_ and a '# @package' comment are given; _package_ counts");
        }
        if (!(key instanceof ScalarNode leaf) || leaf.isNull()) {
            throw error(key.origin(), "_package_ must be a string");
        }
        return Optional.of(leaf.text());
    }

    private static HoconDocument document(Path file, Path root, List<String> prefix, int depth) {
        String text = text(file);
        HoconSyntax.check(text, file.toString());
        HoconParser.Includes includes = (name, below, where) -> {
            List<String> place = new ArrayList<>(prefix);
            place.addAll(below);
            return included(file, name, root, place, where, depth);
        };
        HoconDocument plain = parse(text, file, includes, References.root());
        return prefix.isEmpty()
                ? plain
                : parse(
                        text,
                        file,
                        includes,
                        new References(prefix, plain.root().keys()));
    }

    private static HoconDocument parse(String text, Path file, HoconParser.Includes includes, References references) {
        return new HoconParser(new TextCursor(text, file.toString()), includes, references).parse();
    }

    private static Optional<HoconDocument> included(
            Path file, String name, Path root, List<String> prefix, Origin where, int depth) {
        if (depth >= DEEPEST_INCLUDE) {
            throw error(where, "includes are nested more than " + DEEPEST_INCLUDE + " deep; is there a cycle?");
        }
        Path target = existing(file.resolveSibling(name));
        if (target == null) {
            return Optional.empty();
        }
        if (!target.toAbsolutePath()
                .normalize()
                .startsWith(root.toAbsolutePath().normalize())) {
            throw error(where, "included file '" + name + "' lies outside of " + root);
        }
        return Optional.of(document(target, root, prefix, depth + 1));
    }

    private static @Nullable Path existing(Path named) {
        if (Files.isRegularFile(named)) {
            return named;
        }
        for (String extension : List.of(".conf", ".json")) {
            Path with = named.resolveSibling(named.getFileName() + extension);
            if (Files.isRegularFile(with)) {
                return with;
            }
        }
        return null;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).replace("\r\n", "\n");
        } catch (CharacterCodingException notText) {
            throw StageException.input(
                    Problem.of("config error", file.toString(), "the file is not UTF-8 text"), notText);
        } catch (IOException unreadable) {
            throw StageException.input(
                    Problem.of("config error", file.toString(), "cannot read the file: " + unreadable.getMessage()),
                    unreadable);
        }
    }

    private static StageException error(Origin where, String what) {
        return StageException.input(Problem.of("config error", where.describe(), what));
    }
}
