package dev.stagesim.config.hocon;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigIncludeContext;
import com.typesafe.config.ConfigIncluder;
import com.typesafe.config.ConfigIncluderClasspath;
import com.typesafe.config.ConfigIncluderFile;
import com.typesafe.config.ConfigIncluderURL;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigParseOptions;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Reads config files, {@code .conf} (HOCON) and {@code .json}, on any file system. */
public final class ConfigFileReader {
    private static final String PACKAGE = "_package_";
    private static final String VALUE = "_value_";
    private static final String DEFAULTS = "defaults";
    private static final int DEEPEST_INCLUDE = 50;
    /** Files that include others twice would be read a number of times that doubles with every level. */
    private static final int MOST_INCLUDES = 1000;

    private ConfigFileReader() {}

    /**
     * Reads {@code file}; files it includes must lie below {@code root}.
     *
     * @throws StageException when the file is not legal HOCON, or a directive in it is wrong
     */
    public static ConfigFile read(Path file, Path root) {
        return config(document(file, root, List.of(), 0, new AtomicInteger()), file.toString());
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

    /** Reads one value that is known to be legal; all that is in it has the given origin. */
    public static Node value(String text, Origin origin) {
        if (text.indexOf('"') < 0 && text.indexOf('[') < 0 && text.indexOf('{') < 0) {
            return Scalars.typed(text, origin);
        }
        TextCursor cursor = new TextCursor("v = " + text, text);
        HoconParser parser = new HoconParser(cursor, (name, prefix, where) -> Optional.empty(), References.root());
        Node value = Objects.requireNonNull(parser.parse().root().get("v"), text);
        if (cursor.position() > "v = ".length() + text.length()) {
            throw new IllegalStateException("not HOCON, something is never closed: " + text);
        }
        return placed(value, origin);
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

    private static HoconDocument document(
            Path file, Path root, List<String> prefix, int depth, AtomicInteger included) {
        String text = text(file);
        HoconSyntax.check(text, file.toString());
        HoconParser.Includes includes = (name, below, where) -> {
            List<String> place = new ArrayList<>(prefix);
            place.addAll(below);
            return included(file, name, root, place, where, depth, included);
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
            Path file, String name, Path root, List<String> prefix, Origin where, int depth, AtomicInteger included) {
        if (depth >= DEEPEST_INCLUDE) {
            throw error(where, "includes are nested more than " + DEEPEST_INCLUDE + " deep; is there a cycle?");
        }
        if (included.incrementAndGet() > MOST_INCLUDES) {
            throw error(where, "more than " + MOST_INCLUDES + " files are included; do they include each other?");
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
        return Optional.of(document(target, root, prefix, depth + 1, included));
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

    /** Asks the HOCON library whether text is legal. */
    private static final class HoconSyntax {
        private static final ConfigParseOptions OPTIONS =
                ConfigParseOptions.defaults().setIncluder(new Nothing());
        private static final int DEEPEST = 200;
        private static final String ADVICE = " (if you intended";
        private static final String ROOT_LIST = "has type LIST rather than";

        private HoconSyntax() {}

        /**
         * Checks {@code text}.
         *
         * @throws StageException with file and line, when it is not legal HOCON
         */
        static void check(String text, String source) {
            checkDepth(text, source);
            try {
                ConfigFactory.parseString(text, OPTIONS.setOriginDescription(source));
            } catch (ConfigException wrong) {
                int line = wrong.origin() == null ? 0 : wrong.origin().lineNumber();
                String where = line > 0 ? source + ":" + line : source;
                String message = wrong.getMessage() == null ? "not legal HOCON" : wrong.getMessage();
                int prefix = message.startsWith(source) ? message.indexOf(": ", source.length() + 1) : -1;
                String what = prefix > 0 ? message.substring(prefix + 2) : message;
                int advice = what.indexOf(ADVICE);
                Problem problem = Problem.of("config error", where, advice > 0 ? what.substring(0, advice) : what);
                if (advice > 0) {
                    problem = problem.hint("put the key or text in double quotes");
                }
                throw StageException.input(
                        message.contains(ROOT_LIST) ? problem.hint("write _value_ = [...]") : problem);
            }
        }

        /** The library, and much that walks trees, recurses; a file that nests this deep is a mistake. */
        private static void checkDepth(String text, String source) {
            TextCursor cursor = new TextCursor(text, source);
            int depth = 0;
            int dots = 0;
            while (!cursor.atEnd()) {
                char c = cursor.peek();
                if (c == '"') {
                    Quoted.skip(cursor);
                    continue;
                }
                if (cursor.atComment()) {
                    cursor.comment();
                    continue;
                }
                depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
                dots = c == '.' ? dots + 1 : c == '\n' || "=:{}[],".indexOf(c) >= 0 ? 0 : dots;
                if (depth > DEEPEST || dots > DEEPEST) {
                    throw cursor.error("nests deeper than " + DEEPEST + " levels");
                }
                cursor.next();
            }
        }

        /** Leaves includes alone: the walk over the text resolves them. */
        private static final class Nothing
                implements ConfigIncluder, ConfigIncluderFile, ConfigIncluderURL, ConfigIncluderClasspath {
            private static ConfigObject empty() {
                return ConfigFactory.empty().root();
            }

            @Override
            public ConfigIncluder withFallback(ConfigIncluder fallback) {
                return this;
            }

            @Override
            public ConfigObject include(ConfigIncludeContext context, String what) {
                return empty();
            }

            @Override
            public ConfigObject includeFile(ConfigIncludeContext context, File what) {
                return empty();
            }

            @Override
            public ConfigObject includeURL(ConfigIncludeContext context, URL what) {
                return empty();
            }

            @Override
            public ConfigObject includeResources(ConfigIncludeContext context, String what) {
                return empty();
            }
        }
    }
}
