package dev.stagesim.config.grammar;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/** The functions of a dialect, by name. */
final class Functions {
    /** Name of the function with keys as argument names. */
    static final String ZIP = "zip";

    /** Name of the function that appends its arguments to a list; deprecated in Hydra 1.4. */
    static final String EXTEND_LIST = "extend_list";

    private static final Map<Dialect, Functions> ALL = new EnumMap<>(Dialect.class);

    static {
        for (Dialect dialect : Dialect.values()) {
            ALL.put(dialect, new Functions(dialect));
        }
    }

    private final Map<String, Body> table = new TreeMap<>();
    private final Dialect dialect;

    /** The implementation of a function. The names and values of the arguments are parallel lists. */
    @FunctionalInterface
    private interface Body {
        Value apply(List<Syntax.Argument> arguments, List<Value> values);
    }

    private Functions(Dialect dialect) {
        this.dialect = dialect;
        for (Casts.Target target : Casts.Target.values()) {
            add(target.functionName(), Signature.open("value"), new Casts(target, dialect)::call);
        }
        SweepFunctions sweeps = new SweepFunctions(dialect);
        add("choice", Signature.open(), sweeps::choice);
        add("range", Signature.fixed(1, "start", "stop", "step"), sweeps::range);
        add("interval", Signature.fixed(2, "start", "end"), sweeps::interval);
        add("glob", Signature.fixed(1, "include", "exclude"), sweeps::glob);
        add("tag", Signature.open("sweep"), sweeps::tag);
        OrderFunctions order = new OrderFunctions(dialect);
        add("sort", Signature.open("sweep", "list", "reverse"), order::sort);
        add("shuffle", Signature.open("sweep", "list"), order::shuffle);
        if (dialect.hasJsonText()) {
            add("json_str", Signature.fixed(1, "value"), bound -> StageFunctions.jsonText(bound, dialect));
        }
        if (dialect.hasListExtension()) {
            // only a value as a whole extends a list; elsewhere the result is the object with the arguments
            table.put(
                    EXTEND_LIST,
                    (arguments, values) -> new Value.Dict(
                            List.of(new Value.Dict.Entry(new Value.Text("values"), new Value.Items(values)))));
        }
        if (dialect.hasMoreSyntax()) {
            addStageFunctions();
        }
    }

    private void addStageFunctions() {
        Signature spaced = Signature.fixed(3, "start", "stop", "count");
        add("json", Signature.fixed(1, "text"), StageFunctions::json);
        add("linspace", spaced, StageFunctions::linspace);
        add("logrange", spaced, StageFunctions::logrange);
        table.put(ZIP, StageFunctions::zip);
    }

    private void add(String name, Signature signature, Function<Signature.Bound, Value> body) {
        table.put(name, (arguments, values) -> body.apply(signature.bind(arguments, values)));
    }

    static Functions of(Dialect dialect) {
        return Objects.requireNonNull(ALL.get(dialect));
    }

    boolean has(String name) {
        return table.containsKey(name);
    }

    /** Returns all names, sorted. */
    List<String> names() {
        return List.copyOf(table.keySet());
    }

    /**
     * Calls the function.
     *
     * @throws CallFault if the arguments are invalid
     */
    Value call(String name, List<Syntax.Argument> arguments, List<Value> values) {
        Body body = table.get(name);
        if (body == null) {
            throw new IllegalStateException("no function " + name);
        }
        return body.apply(arguments, values.stream().map(dialect::argument).toList());
    }
}
