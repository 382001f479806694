package dev.stagesim.io.yaml;

import java.util.Set;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * What plain scalars are to Python's usual reader: as in YAML 1.1, but an exponent needs both a point and a sign, so that
 * {@code 1e3} is text.
 */
final class PythonScalars extends Resolver {
    private static final Set<String> BOOLEANS = Set.of(
            "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", "no", "No", "NO", "false", "False", "FALSE",
            "off", "Off", "OFF");
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
