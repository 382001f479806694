package dev.stagesim.table;

import static tech.tablesaw.aggregate.AggregateFunctions.max;
import static tech.tablesaw.aggregate.AggregateFunctions.mean;
import static tech.tablesaw.aggregate.AggregateFunctions.median;
import static tech.tablesaw.aggregate.AggregateFunctions.min;
import static tech.tablesaw.aggregate.AggregateFunctions.percentile90;
import static tech.tablesaw.aggregate.AggregateFunctions.percentile95;
import static tech.tablesaw.aggregate.AggregateFunctions.percentile99;
import static tech.tablesaw.aggregate.AggregateFunctions.stdDev;
import static tech.tablesaw.aggregate.AggregateFunctions.sum;

import dev.stagesim.cli.TableTool;
import dev.stagesim.contract.ColumnType;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tech.tablesaw.aggregate.NumericAggregateFunction;
import tech.tablesaw.api.BooleanColumn;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.LongColumn;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import tech.tablesaw.columns.Column;
import tech.tablesaw.joining.JoinType;
import tech.tablesaw.sorting.Sort;

/** Operations that need the complete table in memory, implemented with Tablesaw: join, group, pivot, describe and sort. */
final class FrameTable {
    private static final Pattern AGGREGATE = Pattern.compile("(\\w+)(?:\\((\\w+)\\))?");
    private static final Map<String, NumericAggregateFunction> FUNCTIONS = functions();

    private FrameTable() {}

    private static Map<String, NumericAggregateFunction> functions() {
        Map<String, NumericAggregateFunction> aggregates = new LinkedHashMap<>();
        aggregates.put("sum", sum);
        aggregates.put("mean", mean);
        aggregates.put("std", stdDev);
        aggregates.put("min", min);
        aggregates.put("max", max);
        aggregates.put("median", median);
        aggregates.put("p50", median);
        aggregates.put("p90", percentile90);
        aggregates.put("p95", percentile95);
        aggregates.put("p99", percentile99);
        return aggregates;
    }

    static Table read(Path file, String name) throws IOException {
        try (TypedRows rows = TypedRows.open(file)) {
            return load(rows, List.of(), name);
        }
    }

    /** Reads the rows that satisfy all conditions. */
    static Table load(TypedRows rows, List<Condition> where, String name) {
        List<Column<?>> columns = new ArrayList<>();
        for (int i = 0; i < rows.types().size(); i++) {
            String column = rows.header().get(i);
            columns.add(
                    switch (rows.types().get(i)) {
                        case INT64 -> LongColumn.create(column);
                        case FLOAT64 -> DoubleColumn.create(column);
                        case BOOL -> BooleanColumn.create(column);
                        case STRING -> StringColumn.create(column);
                    });
        }
        while (rows.next()) {
            if (where.stream().allMatch(condition -> condition.accepts(rows::text))) {
                for (int i = 0; i < columns.size(); i++) {
                    append(columns.get(i), rows, i);
                }
            }
        }
        return Table.create(name, columns);
    }

    private static void append(Column<?> column, TypedRows rows, int i) {
        String text = rows.text(i);
        if (text.isEmpty()) {
            column.appendMissing();
        } else if (column instanceof LongColumn longs) {
            longs.append(rows.integer(i));
        } else if (column instanceof DoubleColumn doubles) {
            doubles.append(rows.number(i));
        } else if (column instanceof BooleanColumn booleans) {
            booleans.append(Boolean.parseBoolean(text));
        } else {
            ((StringColumn) column).append(text);
        }
    }

    /** Applies grouping, pivoting, description and sorting. The caller applies column selection and limit. */
    static Table answer(Table table, TableTool.Query query) {
        Table result = table;
        TableTool.Summary summary = query.summary();
        if (!summary.aggregates().isEmpty()) {
            result = group(result, summary.group(), summary.aggregates());
        } else if (!summary.pivot().isEmpty()) {
            result = pivot(result, summary.pivot());
        } else if (summary.describe()) {
            result = describe(result);
        }
        return query.sort().isEmpty() ? result : sort(result, query.sort());
    }

    static Table join(Table left, Table right, List<String> on) {
        for (String name : on) {
            Condition.position(name, left.columnNames(), "--on");
            Condition.position(name, right.columnNames(), "--on");
        }
        for (String name : right.columnNames()) {
            if (!on.contains(name) && left.columnNames().contains(name)) {
                right.column(name).setName(name + "_2");
            }
        }
        return left.joinOn(on.toArray(String[]::new))
                .with(right)
                .type(JoinType.INNER)
                .join();
    }

    private static Table group(Table table, List<String> by, List<String> aggregates) {
        by.forEach(name -> Condition.position(name, table.columnNames(), "--group"));
        // Groups keep the order of their first row, which does not depend on hashing.
        Map<List<Object>, Table> groups = new LinkedHashMap<>();
        if (by.isEmpty()) {
            groups.put(List.of(), table.emptyCopy()); // a total exists even without rows
        }
        for (int row = 0; row < table.rowCount(); row++) {
            List<Object> key = new ArrayList<>();
            for (String name : by) {
                key.add(table.get(row, table.columnIndex(name)));
            }
            groups.computeIfAbsent(key, none -> table.emptyCopy()).append(table.row(row));
        }
        List<Column<?>> columns = new ArrayList<>();
        for (String name : by) {
            columns.add(table.column(name).emptyCopy());
        }
        for (String aggregate : aggregates) {
            columns.add(aggregate.equals("count") ? LongColumn.create(aggregate) : DoubleColumn.create(aggregate));
        }
        groups.values().forEach(group -> {
            for (int i = 0; i < by.size(); i++) {
                columns.get(i).appendObj(group.column(by.get(i)).get(0));
            }
            for (int i = 0; i < aggregates.size(); i++) {
                appendAggregate(columns.get(by.size() + i), group, aggregates.get(i));
            }
        });
        return Table.create(table.name(), columns);
    }

    private static void appendAggregate(Column<?> column, Table group, String aggregate) {
        if (column instanceof LongColumn counts) {
            counts.append((long) group.rowCount());
            return;
        }
        ((DoubleColumn) column).append(aggregate(group, aggregate));
    }

    private static double aggregate(Table table, String aggregate) {
        Matcher shape = AGGREGATE.matcher(aggregate);
        if (!shape.matches() || shape.group(2) == null || !FUNCTIONS.containsKey(shape.group(1))) {
            throw StageException.input(Problem.of("usage error", aggregate, "expected count or FUNCTION(COLUMN)")
                    .didYouMean(Suggest.near(aggregate.replaceFirst("\\(.*", ""), FUNCTIONS.keySet()))
                    .options(FUNCTIONS.keySet().stream()
                            .map(name -> name + "(COLUMN)")
                            .toList()));
        }
        String name = shape.group(2);
        Condition.position(name, table.columnNames(), aggregate);
        if (!(table.column(name) instanceof NumericColumn<?> numbers)) {
            throw StageException.input(Problem.of("usage error", aggregate, "column " + name + " has no numbers"));
        }
        NumericColumn<?> present = (NumericColumn<?>) numbers.removeMissing();
        Double value = present.isEmpty() ? null : FUNCTIONS.get(shape.group(1)).summarize(present);
        return value == null ? DoubleColumn.create("x").appendMissing().getDouble(0) : value;
    }

    private static Table pivot(Table table, List<String> arguments) {
        String rows = arguments.get(0);
        String across = arguments.get(1);
        String aggregate = arguments.get(2);
        Condition.position(rows, table.columnNames(), "--pivot");
        Condition.position(across, table.columnNames(), "--pivot");
        Table cells = group(table, List.of(rows, across), List.of(aggregate));
        Map<String, Integer> columnIndex = new LinkedHashMap<>();
        List<Column<?>> columns = new ArrayList<>(List.of(table.column(rows).emptyCopy()));
        Map<Object, Integer> rowIndex = new LinkedHashMap<>();
        for (int i = 0; i < cells.rowCount(); i++) {
            String name = cells.column(across).getString(i);
            columnIndex.computeIfAbsent(name, none -> {
                columns.add(DoubleColumn.create(name));
                return columns.size() - 1;
            });
            rowIndex.putIfAbsent(cells.get(i, 0), rowIndex.size());
        }
        rowIndex.keySet().forEach(columns.get(0)::appendObj);
        columns.subList(1, columns.size()).forEach(column -> rowIndex.keySet().forEach(row -> column.appendMissing()));
        for (int i = 0; i < cells.rowCount(); i++) {
            int column = columnIndex.getOrDefault(cells.column(across).getString(i), 0);
            double value = ((NumericColumn<?>) cells.column(2)).getDouble(i);
            ((DoubleColumn) columns.get(column)).set((int) rowIndex.getOrDefault(cells.get(i, 0), 0), value);
        }
        return Table.create(table.name(), columns);
    }

    private static Table describe(Table table) {
        StringColumn names = StringColumn.create("column");
        LongColumn counts = LongColumn.create("count");
        List<String> aggregates = List.of("mean", "std", "min", "median", "p90", "p99", "max");
        List<Column<?>> columns = new ArrayList<>(List.of(names, counts));
        aggregates.forEach(aggregate -> columns.add(DoubleColumn.create(aggregate)));
        for (Column<?> column : table.columns()) {
            names.append(column.name());
            counts.append((long) (column.size() - column.countMissing()));
            for (int i = 0; i < aggregates.size(); i++) {
                DoubleColumn target = (DoubleColumn) columns.get(2 + i);
                if (column instanceof NumericColumn<?>) {
                    target.append(aggregate(table, aggregates.get(i) + "(" + column.name() + ")"));
                } else {
                    target.appendMissing();
                }
            }
        }
        return Table.create(table.name(), columns);
    }

    private static Table sort(Table table, List<String> keys) {
        Sort order = null;
        for (String key : keys) {
            boolean descending = key.startsWith("-");
            String name = descending ? key.substring(1) : key;
            Condition.position(name, table.columnNames(), "--sort");
            Sort.Order direction = descending ? Sort.Order.DESCEND : Sort.Order.ASCEND;
            order = order == null ? Sort.on(name, direction) : order.next(name, direction);
        }
        return table.sortOn(order);
    }

    static List<ColumnType> types(Table table) {
        return table.columns().stream().map(FrameTable::type).toList();
    }

    private static ColumnType type(Column<?> column) {
        if (column instanceof LongColumn) {
            return ColumnType.INT64;
        }
        if (column instanceof BooleanColumn) {
            return ColumnType.BOOL;
        }
        return column instanceof NumericColumn<?> ? ColumnType.FLOAT64 : ColumnType.STRING;
    }

    /** Returns the text of a cell in the format of {@link TypedRows#text}. */
    static String text(Table table, int row, int column) {
        Column<?> cells = table.column(column);
        if (cells.isMissing(row)) {
            return "";
        }
        return cells instanceof DoubleColumn doubles
                ? ShortestDouble.of(doubles.getDouble(row))
                : String.valueOf(cells.get(row));
    }
}
