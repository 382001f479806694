package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads {@code .conf} (HOCON) and {@code .json} config files from any file system. */
public final class ConfigFileReader {
    private static final String PACKAGE = "_package_";
    private static final String VALUE = "_value_";
    private static final String DEFAULTS = "defaults";
    private static final int MAX_INCLUDE_DEPTH = 50;
    /** Limits exponential growth: if files at every level include two files, the number of reads doubles per level. */
    private static final int MAX_INCLUDES = 1000;

    private ConfigFileReader() {}

    /**
     * Reads {@code file}. Included files must be below {@code root}.
     *
     * @throws StageException if the file is not valid HOCON, or a directive in it is invalid
     */
    public static ConfigFile read(Path file, Path root) {
        return config(document(file, root, List.of(), 0, new ReadState()), file.toString());
    }

    /**
     * Reads a config from text, which cannot include files.
     *
     * @param source the name of the text in messages
     */
    public static ConfigFile parse(String text, String source) {
        HoconSyntax.check(text, source);
        return parseValid(text, source);
    }

    /** Reads a config from valid text. */
    public static ConfigFile parseValid(String text, String source) {
        return config(parser(new TextCursor(text, source)).parse(), source);
    }

    /** Reads one valid value. All its contents get the given origin. */
    public static Node value(String text, Origin origin) {
        if (text.indexOf('"') < 0 && text.indexOf('[') < 0 && text.indexOf('{') < 0) {
            return Scalars.typed(text, origin);
        }
        TextCursor cursor = new TextCursor("v = " + text, text);
        Node value = Objects.requireNonNull(parser(cursor).parse().root().get("v"), text);
        if (cursor.overran()) {
            throw new IllegalStateException("not HOCON, a bracket or quote is not closed: " + text);
        }
        return placed(value, origin);
    }

    private static HoconParser parser(TextCursor text) {
        return new HoconParser(
                text, (name, prefix, where) -> Optional.empty(), References.root(), new ConcatenationResolver());
    }

    private static Node placed(Node node, Origin origin) {
        if (node instanceof ScalarNode leaf) {
            return new ScalarNode(leaf.kind(), leaf.value(), leaf.text(), origin, null);
        }
        if (node instanceof ListNode list) {
            return new ListNode(
                    list.items().stream().map(item -> placed(item, origin)).toList(), origin);
        }
        Map<String, Node> entries = new LinkedHashMap<>();
        ((MapNode) node).entries().forEach((key, value) -> entries.put(key, placed(value, origin)));
        return MapNode.of(entries, origin);
    }

    private static ConfigFile config(HoconDocument document, String source) {
        MapNode body = document.root();
        List<String> warnings = new ArrayList<>(document.warnings());
        Optional<String> pkg = packageOf(source, document, warnings);
        Optional<Node> value = Optional.ofNullable(body.get(VALUE));
        Optional<Node> defaults = Optional.ofNullable(body.get(DEFAULTS));
        MapNode rest = body.without(PACKAGE).without(DEFAULTS).without(VALUE);
        value.ifPresent(node -> checkValue(node, rest));
        return new ConfigFile(source, rest, defaults, pkg, value, document.concatenations(), warnings);
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
                    + ": both _package_ and a '# @package' comment are given; _package_ is used");
        }
        if (!(key instanceof ScalarNode leaf) || leaf.isNull()) {
            throw error(key.origin(), "_package_ must be a string");
        }
        return Optional.of(leaf.text());
    }

    private static HoconDocument document(Path file, Path root, List<String> prefix, int depth, ReadState state) {
        String text = text(file);
        HoconSyntax.check(text, file.toString());
        HoconParser.Includes includes = (name, below, where) -> {
            List<String> place = new ArrayList<>(prefix);
            place.addAll(below);
            return included(file, name, root, place, where, depth, state);
        };
        Function<References, HoconDocument> parse = references ->
                new HoconParser(new TextCursor(text, file.toString()), includes, references, state.resolver).parse();
        HoconDocument plain = parse.apply(References.root());
        return prefix.isEmpty()
                ? plain
                : parse.apply(new References(prefix, plain.root().keys()));
    }

    private static Optional<HoconDocument> included(
            Path file, String name, Path root, List<String> prefix, Origin where, int depth, ReadState state) {
        if (depth >= MAX_INCLUDE_DEPTH) {
            throw error(where, "includes are nested more than " + MAX_INCLUDE_DEPTH + " deep; is there a cycle?");
        }
        if (++state.included > MAX_INCLUDES) {
            throw error(where, "more than " + MAX_INCLUDES + " files are included; do they include each other?");
        }
        Path target = existing(InputFile.beside(file, name, where.describe()));
        if (target == null) {
            return Optional.empty();
        }
        if (!target.toAbsolutePath()
                .normalize()
                .startsWith(root.toAbsolutePath().normalize())) {
            throw error(where, "included file '" + name + "' is outside " + root);
        }
        return Optional.of(document(target, root, prefix, depth + 1, state));
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
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(InputFile.rawBytes(InputFile.regular(file))))
                    .toString()
                    .replace("\r\n", "\n");
        } catch (CharacterCodingException notText) {
            throw StageException.input(Problem.config(file.toString(), "the file is not UTF-8 text"), notText);
        } catch (IOException unreadable) {
            throw StageException.input(
                    Problem.config(file.toString(), "cannot read the file: " + unreadable.getMessage()), unreadable);
        }
    }

    /** The work done for one config, including its includes. The work is limited. */
    private static final class ReadState {
        private final ConcatenationResolver resolver = new ConcatenationResolver();
        private int included;
    }

    private static StageException error(Origin where, String what) {
        return StageException.input(Problem.config(where.describe(), what));
    }
}
