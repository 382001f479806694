package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.interp.InterpolationException.Kind;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Evaluates the interpolations of one tree. Each value is evaluated at most once. Not thread-safe. */
public final class Interpolator {
    private final Cell root;
    private final Evaluation evaluation;
    private final Map<Cell, Problem> problems = new LinkedHashMap<>();

    private Interpolator(MapNode tree, Resolvers resolvers, Dialect dialect) {
        this.root = Cell.root(tree);
        this.evaluation = new Evaluation(resolvers, dialect);
    }

    static Interpolator of(MapNode tree, Resolvers resolvers) {
        return new Interpolator(tree, resolvers, Dialect.STAGE);
    }

    /** Creates an interpolator. With {@code HYDRA}, embedded values and errors equal those of OmegaConf 2.3.1. */
    public static Interpolator of(MapNode tree, Resolvers resolvers, Dialect dialect) {
        return new Interpolator(tree, resolvers, dialect);
    }

    /**
     * Returns the tree with every interpolation replaced by its value. A reference to a missing mandatory value
     * evaluates to {@code ???}, so that binding reports both keys.
     *
     * @throws StageException (input) with every interpolation that fails for another reason, each with its source
     */
    public MapNode resolve() {
        Node resolved = resolve(root);
        if (!problems.isEmpty()) {
            throw StageException.input(List.copyOf(problems.values()));
        }
        return (MapNode) resolved;
    }

    /**
     * Evaluates the value at a path, including its contents.
     *
     * @throws StageException (input) if the key does not exist or its value fails
     */
    public Node value(String path) {
        try {
            return Nodes.raw(evaluate(path), root.raw().origin());
        } catch (InterpolationException e) {
            Cell cell = e.cell();
            throw StageException.input(Problems.of(e, cell == null ? root : cell, path));
        }
    }

    /** Typed form of {@link #value}. Throws {@link InterpolationException}. */
    public Datum evaluate(String path) {
        evaluation.checkSyntax(root.raw());
        Datum found = evaluation
                .find(root, path, true)
                .orElseThrow(() -> InterpolationException.of(Kind.KEY, "key '" + path + "' not found"));
        return evaluation.semantics().alone(evaluation.plain(found));
    }

    /**
     * Returns the path of the section of the tree at {@code path}, or to which the references along it lead; empty if
     * there is none.
     */
    public Optional<String> section(String path) {
        try {
            return evaluation
                    .find(root, path, false)
                    .filter(Datum.Section.class::isInstance)
                    .map(found -> ((Datum.Section) found).cell())
                    .filter(cell -> cell.root() == root)
                    .map(Cell::path);
        } catch (InterpolationException unresolved) {
            return Optional.empty();
        }
    }

    /** Returns the warnings of resolvers, without duplicates. */
    public List<String> warnings() {
        return evaluation.warnings();
    }

    private Node resolve(Cell cell) {
        Node raw = cell.raw();
        if (raw instanceof ScalarNode scalar) {
            return scalar.isInterpolation() ? leaf(cell, scalar) : scalar;
        }
        boolean changed = false;
        Map<String, Node> entries = new LinkedHashMap<>();
        for (Map.Entry<String, Cell> child : cell.children().entrySet()) {
            Node value = resolve(child.getValue());
            changed |= value != child.getValue().raw();
            entries.put(child.getKey(), value);
        }
        if (!changed) {
            return raw;
        }
        return raw instanceof ListNode
                ? new ListNode(new ArrayList<>(entries.values()), raw.origin())
                : MapNode.of(entries, raw.origin());
    }

    /** The value gets the origin of the expression, because that is the text that the user wrote. */
    private Node leaf(Cell cell, ScalarNode expression) {
        try {
            return written(Nodes.raw(evaluation.plain(evaluation.value(cell)), expression.origin()), expression);
        } catch (InterpolationException e) {
            if (e.kind() == Kind.MISSING) {
                return ScalarNode.of(ScalarNode.MISSING, expression.origin()).replacing(expression);
            }
            Cell source = e.cell() == null ? cell : e.cell();
            Problem problem = Problems.of(e, source, source.path());
            problems.putIfAbsent(source, problem);
            if (evaluation.isExhausted()) {
                throw StageException.input(problem); // all later evaluations would fail with the same error
            }
            return expression;
        }
    }

    private static Node written(Node value, ScalarNode expression) {
        Origin origin = expression.origin();
        if (value instanceof ScalarNode scalar) {
            return new ScalarNode(scalar.kind(), scalar.value(), scalar.text(), origin, expression.previous());
        }
        return value instanceof ListNode list ? new ListNode(list.items(), origin) : value;
    }

    /** Converts failed interpolations to problems for the user. */
    private static final class Problems {
        private Problems() {}

        static Problem of(InterpolationException failure, Cell cell, String path) {
            Problem problem = Problem.config(path, failure.getMessage());
            if (cell.raw() instanceof ScalarNode scalar) {
                problem = problem.note("value", scalar.text())
                        .from(scalar.origin().describe());
            }
            problem = problem.didYouMean(failure.suggestions());
            problem = failure.hint().isEmpty() ? problem : problem.hint(failure.hint());
            return failure.kind() == InterpolationException.Kind.SYNTAX
                    ? problem.hint("a backslash before the dollar sign keeps it as text: \\${")
                    : problem;
        }
    }
}
