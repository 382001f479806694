package dev.stagesim.io.yaml;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads YAML 1.1 as JSON values. Plain scalars follow the core rules ({@code yes} is true, {@code 017} is 15), quoted
 * scalars are strings, anchors and merge keys are resolved, and tags for objects are rejected.
 */
public final class Yaml {
    private Yaml() {}

    /** Rules for plain scalars. */
    public enum Rules {
        /** YAML 1.1. */
        STANDARD,
        /** PyYAML: {@code 1e3} is text, and dates are rejected because JSON has none. */
        PYTHON
    }

    /** Reads a file with one document. Malformed, empty or missing files are input errors. */
    public static LocatedJson read(Path file) throws IOException {
        return read(file, Rules.STANDARD);
    }

    public static LocatedJson read(Path file, Rules rules) throws IOException {
        try {
            return parse(InputFile.text(file), file.toString(), rules);
        } catch (NoSuchFileException e) {
            throw StageException.input(Problem.artifact(file.toString(), "the file does not exist, expected YAML"), e);
        } catch (CharacterCodingException e) {
            throw StageException.input(Problem.artifact(file.toString(), "not valid UTF-8, expected YAML"), e);
        }
    }

    /** Reads a text with one document; {@code source} names it in messages. */
    public static LocatedJson parse(String text, String source) {
        return parse(text, source, Rules.STANDARD);
    }

    public static LocatedJson parse(String text, String source, Rules rules) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        options.setCodePointLimit(Integer.MAX_VALUE);
        try {
            Resolver resolver = rules == Rules.PYTHON ? new PythonScalars() : new Resolver();
            Composer composer = new Composer(new ParserImpl(new StreamReader(text), options), resolver, options);
            Node node = composer.getSingleNode();
            if (node == null) {
                throw StageException.input(Problem.artifact(source, "the file is empty, expected YAML"));
            }
            JsonValue value = new YamlValues(source, rules).value(node);
            return new LocatedJson(source, "", value);
        } catch (MarkedYAMLException e) {
            Mark mark = e.getProblemMark();
            String place = mark == null ? source : source + ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1);
            String why = Optional.ofNullable(e.getProblem()).orElse("malformed");
            throw StageException.input(Problem.artifact(place, "not valid YAML: " + why), e);
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            // thrown by the parser for escapes of invalid characters
            throw StageException.input(Problem.artifact(source, "not valid YAML: an escape is damaged"), e);
        } catch (YAMLException | IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("malformed");
            throw StageException.input(Problem.artifact(source, "not valid YAML: " + why), e);
        }
    }

    /**
     * Resolves plain scalars as PyYAML does: as in YAML 1.1, but an exponent needs a point and a sign, so {@code 1e3} is
     * text.
     */
    private static final class PythonScalars extends Resolver {
        private static final Set<String> BOOLEANS = Set.of(
                "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", "no", "No", "NO", "false", "False",
                "FALSE", "off", "Off", "OFF");
        private static final Set<String> NULLS = Set.of("~", "null", "Null", "NULL", "");
        private static final Pattern INTEGER = Pattern.compile("[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)"
                + "|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+");
        private static final Pattern REAL = Pattern.compile("[-+]?(?:[0-9][0-9_]*)\\.[0-9_]*(?:[eE][-+][0-9]+)?"
                + "|\\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*"
                + "|[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)");
        private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}"
                + "|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \\t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]*)?"
                + "(?:[ \\t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?");

        @Override
        public Tag resolve(NodeId kind, String value, boolean implicit) {
            if (kind != NodeId.scalar || !implicit) {
                return super.resolve(kind, value, implicit);
            }
            if (BOOLEANS.contains(value)) {
                return Tag.BOOL;
            }
            if (NULLS.contains(value)) {
                return Tag.NULL;
            }
            if (INTEGER.matcher(value).matches()) {
                return Tag.INT;
            }
            if (REAL.matcher(value).matches()) {
                return Tag.FLOAT;
            }
            if (DATE.matcher(value).matches()) {
                return Tag.TIMESTAMP;
            }
            return value.equals("<<") ? Tag.MERGE : Tag.STR;
        }
    }
}
