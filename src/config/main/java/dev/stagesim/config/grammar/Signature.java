package dev.stagesim.config.grammar;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters of a function.
 *
 * @param positional parameters that are given by position or by name
 * @param required number of mandatory positional parameters
 * @param variadic true if any number of unnamed arguments is allowed instead
 * @param named parameters that are given only by name
 */
record Signature(List<String> positional, int required, boolean variadic, List<String> named) {
    static Signature fixed(int required, String... positional) {
        return new Signature(List.of(positional), required, false, List.of());
    }

    static Signature open(String... named) {
        return new Signature(List.of(), 0, true, List.of(named));
    }

    /** Assigns arguments to parameters. If a name occurs several times, the last value wins. */
    Bound bind(List<Syntax.Argument> arguments, List<Value> values) {
        List<Value> rest = new ArrayList<>();
        Map<String, Value> byName = new LinkedHashMap<>();
        for (int i = 0; i < values.size(); i++) {
            if (arguments.get(i).name().isPresent()) {
                byName.put(arguments.get(i).name().get(), values.get(i));
            } else if (!byName.isEmpty()) {
                throw new CallFault("an unnamed argument follows a named one", "unnamed arguments come first");
            } else {
                rest.add(values.get(i));
            }
        }
        for (String name : byName.keySet()) {
            if (!positional.contains(name) && !named.contains(name)) {
                throw new CallFault("it has no parameter '" + name + "'", known());
            }
        }
        return variadic ? new Bound(rest, byName) : new Bound(List.of(), place(rest, byName));
    }

    private Map<String, Value> place(List<Value> unnamed, Map<String, Value> byName) {
        if (unnamed.size() > positional.size()) {
            throw new CallFault("too many arguments: at most " + positional.size(), known());
        }
        Map<String, Value> all = new LinkedHashMap<>(byName);
        for (int i = 0; i < unnamed.size(); i++) {
            if (all.put(positional.get(i), unnamed.get(i)) != null) {
                throw new CallFault("'" + positional.get(i) + "' is given twice", known());
            }
        }
        for (String name : positional.subList(0, required)) {
            if (!all.containsKey(name)) {
                throw new CallFault("argument '" + name + "' is missing", known());
            }
        }
        return all;
    }

    private String known() {
        List<String> all = new ArrayList<>(positional);
        all.addAll(named);
        return all.isEmpty() ? "it takes unnamed arguments only" : "its parameters are " + String.join(", ", all);
    }

    /**
     * Arguments assigned to parameters.
     *
     * @param rest unnamed arguments of a variadic function
     * @param byName all other arguments
     */
    record Bound(List<Value> rest, Map<String, Value> byName) {}
}
