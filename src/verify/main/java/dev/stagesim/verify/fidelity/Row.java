package dev.stagesim.verify.fidelity;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.verify.fidelity.lengths.MlperfTokens;

/** One published value and its setting. */
record Row(Origin origin, Setup setup, Groups groups, Load load, String metric, double value, String note) {
    /** A line of a file, from 1. */
    record Origin(String file, int line, String source) {}

    /** The software, model and device. */
    record Setup(String engine, String version, String model, String card, String dtype, String gpu) {}

    /**
     * How the model is distributed over devices.
     *
     * @param devices devices of the whole system, or 0 if unknown
     * @param tensor devices that share an attention layer, or 0 if unknown
     * @param stages pipeline stages, or 0 if unknown
     * @param copies groups of devices with separate requests in attention
     * @param expertParts groups of devices with separate experts
     */
    record Groups(int devices, int tensor, int stages, int copies, int expertParts) {}

    /**
     * The requests.
     *
     * @param input prompt tokens, or the name of a task
     * @param output generated tokens
     * @param amount concurrent requests, or a rate; NaN if unknown
     */
    record Load(String input, int output, String kind, double amount) {}

    static Row of(String file, LooseTable table, int row) {
        String source = table.text(row, "source_id");
        String model = table.text(row, "model");
        return new Row(
                new Origin(file, row + 2, source),
                new Setup(
                        table.text(row, "engine"),
                        table.text(row, "engine_version"),
                        model,
                        table.text(row, "card"),
                        table.text(row, "dtype"),
                        table.text(row, "gpu")),
                new Groups(
                        count(table, row, "num_gpus"),
                        count(table, row, "tp"),
                        count(table, row, "pp"),
                        Math.max(1, count(table, row, "dp")),
                        Math.max(1, count(table, row, "ep"))),
                new Load(
                        MlperfTokens.input(source, model).map(String::valueOf).orElse(table.text(row, "input_len")),
                        MlperfTokens.output(source, model).orElse(count(table, row, "output_len")),
                        table.text(row, "load_kind"),
                        table.isEmpty(row, "load") || table.text(row, "load").equals("inf")
                                ? Double.NaN
                                : table.number(row, "load")),
                table.text(row, "metric"),
                table.number(row, "value"),
                table.text(row, "note"));
    }

    private static int count(LooseTable table, int row, String column) {
        return table.isEmpty(row, column) ? 0 : (int) Math.round(table.number(row, column));
    }

    /** Returns the number after a word in the note, or {@code otherwise}. */
    int noted(String word, int otherwise) {
        int at = note.indexOf(word + " ");
        if (at < 0) {
            return otherwise;
        }
        int from = at + word.length() + 1;
        int to = from;
        while (to < note.length() && Character.isDigit(note.charAt(to))) {
            to++;
        }
        return to == from ? otherwise : Integer.parseInt(note.substring(from, to));
    }

    /** Returns the key of rows with one setting, which differ only in metric and value. */
    String setting() {
        return String.join(
                "|",
                origin.source,
                setup.engine,
                setup.version,
                setup.model,
                setup.dtype,
                setup.gpu,
                groups.devices + "/" + groups.tensor + "/" + groups.stages + "/" + groups.copies + "/"
                        + groups.expertParts,
                load.input,
                String.valueOf(load.output),
                load.kind,
                String.valueOf(load.amount),
                load.kind.equals("max_num_seqs") ? note.replaceAll("average running batch.*", "") : note);
    }
}
