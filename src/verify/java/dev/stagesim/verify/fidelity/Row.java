package dev.stagesim.verify.fidelity;

import dev.stagesim.io.csv.LooseTable;

/**
 * One published figure and the setting it was measured at.
 *
 * @param file name of its file
 * @param line line in it, from 1
 * @param devices devices of the whole system; 0 where it is not said
 * @param tensor devices that share an attention layer; 0 where it is not said
 * @param stages pipeline stages; 0 where it is not said
 * @param copies groups of devices whose attention works on requests of their own
 * @param expertParts groups of devices with experts of their own
 * @param input prompt tokens, or the name of a task
 * @param output tokens generated
 * @param load requests at a time, or a rate; not a number where it is not said
 */
record Row(
        String file,
        int line,
        String source,
        String engine,
        String version,
        String model,
        String card,
        String dtype,
        String gpu,
        int devices,
        int tensor,
        int stages,
        int copies,
        int expertParts,
        String input,
        int output,
        String loadKind,
        double load,
        String metric,
        double value,
        String note) {
    static Row of(String file, LooseTable table, int row) {
        return new Row(
                file,
                row + 2,
                table.text(row, "source_id"),
                table.text(row, "engine"),
                table.text(row, "engine_version"),
                table.text(row, "model"),
                table.text(row, "card"),
                table.text(row, "dtype"),
                table.text(row, "gpu"),
                count(table, row, "num_gpus"),
                count(table, row, "tp"),
                count(table, row, "pp"),
                Math.max(1, count(table, row, "dp")),
                Math.max(1, count(table, row, "ep")),
                table.text(row, "input_len"),
                count(table, row, "output_len"),
                table.text(row, "load_kind"),
                table.isEmpty(row, "load") || table.text(row, "load").equals("inf")
                        ? Double.NaN
                        : table.number(row, "load"),
                table.text(row, "metric"),
                table.number(row, "value"),
                table.text(row, "note"));
    }

    private static int count(LooseTable table, int row, String column) {
        return table.isEmpty(row, column) ? 0 : (int) Math.round(table.number(row, column));
    }

    /** A number that the note gives behind a word; the other value where it does not. */
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

    /** Rows that only differ in metric and value were measured together. */
    String setting() {
        return String.join(
                "|",
                source,
                engine,
                version,
                model,
                dtype,
                gpu,
                devices + "/" + tensor + "/" + stages + "/" + copies + "/" + expertParts,
                input,
                String.valueOf(output),
                loadKind,
                String.valueOf(load),
                loadKind.equals("max_num_seqs") ? note.replaceAll("average running batch.*", "") : note);
    }
}
