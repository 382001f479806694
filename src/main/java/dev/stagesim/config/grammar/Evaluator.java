package dev.stagesim.config.grammar;

import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.List;

/** Turns parsed text into values by calling the functions in it. */
final class Evaluator {
    private static final String NESTED = "sweep over whole lists or maps instead: choice([1,2],[3,4])";

    private final Dialect dialect;
    private final Faults faults;
    private final Functions functions;

    Evaluator(Dialect dialect, Faults faults) {
        this.dialect = dialect;
        this.faults = faults;
        this.functions = Functions.of(dialect);
    }

    Value evaluate(Syntax syntax) {
        if (syntax instanceof Syntax.Leaf leaf) {
            return leaf.value();
        }
        if (syntax instanceof Syntax.Items items) {
            return new ListValue(items.items().stream().map(this::contained).toList());
        }
        if (syntax instanceof Syntax.Pairs pairs) {
            return new DictValue(pairs.pairs().stream()
                    .map(pair -> new DictValue.Entry(pair.key(), contained(pair.value())))
                    .toList());
        }
        return syntax instanceof Syntax.Call call ? call(call) : choice((Syntax.Choice) syntax);
    }

    /** Hydra stores sweeps in containers and fails later without a place. */
    private Value contained(Syntax syntax) {
        Value value = evaluate(syntax);
        if (dialect == Dialect.STAGE && value instanceof Sweep) {
            throw faults.meaning(syntax.start(), "a sweep inside a list or map is not supported", NESTED);
        }
        return value;
    }

    private Value choice(Syntax.Choice choice) {
        List<Value> items = new ArrayList<>();
        for (Syntax item : choice.items()) {
            Value value = evaluate(item);
            if (dialect == Dialect.STAGE && value instanceof Sweep sweep) {
                items.addAll(joined(sweep, item.start()));
            } else {
                items.add(value);
            }
        }
        if (items.isEmpty()) {
            throw faults.meaning(choice.start(), "the sweep has no values", "");
        }
        return ChoiceSweep.of(items, items.size() > 1);
    }

    /** In our dialect sweeps side by side are joined end to end. */
    private List<Value> joined(Sweep sweep, int start) {
        boolean plain = sweep.tags().isEmpty();
        if (plain && sweep instanceof ChoiceSweep choice && !choice.shuffle()) {
            return choice.items();
        }
        if (plain && sweep instanceof RangeSweep range && !range.shuffle()) {
            return new ArrayList<>(RangePoints.of(range, Dialect.STAGE).all());
        }
        throw faults.meaning(
                start,
                "only plain choices and ranges can be joined with commas",
                "put tag(..) and shuffle(..) around the whole sweep: shuffle(choice(..))");
    }

    private Value call(Syntax.Call call) {
        List<Value> values = new ArrayList<>();
        for (Syntax.Argument argument : call.arguments()) {
            values.add(evaluate(argument.value()));
        }
        if (!functions.has(call.name())) {
            throw faults.meaning(
                    call.start(),
                    "unknown function '" + call.name() + "'",
                    "quote the value to use it as text",
                    functions.names(),
                    Suggest.near(call.name(), functions.names()));
        }
        try {
            return functions.call(call.name(), call.arguments(), values);
        } catch (CallFault fault) {
            throw faults.meaning(call.start(), call.text() + ": " + fault.message(), fault.hint());
        }
    }
}
