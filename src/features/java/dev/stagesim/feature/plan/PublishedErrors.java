package dev.stagesim.feature.plan;

import dev.stagesim.io.gzip.InputFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** How far predictions were from published measurements, by engine and device: the tables of {@code specs/fidelity.md}. */
final class PublishedErrors {
    /** Where they are, below the product's home. */
    static final String FILE = "specs/fidelity.md";

    /** Measurements on a device that say something of it. */
    private static final int FEWEST = 20;

    private static final double PERCENT = 100;
    private static final String OF_ANY_DEVICE = "";
    private static final Map<String, String> METRICS =
            Map.of("ttft", "first token, prefill", "tpot", "token time", "e2e", "end to end");

    private final Map<String, Errors> errors = new LinkedHashMap<>();

    private PublishedErrors() {}

    /**
     * Errors of one kind of figure.
     *
     * @param where what they were measured on
     * @param rows measurements
     * @param median half of the predictions were within this share of the measured value
     * @param most nine of ten were within this
     */
    record Errors(String where, int rows, double median, double most) {
        /** Least value that a figure may have, as nine of ten have. */
        double low(double predicted) {
            return predicted / (1 + most);
        }

        /** Greatest value that a figure may have, as nine of ten have; infinite where errors exceed the value. */
        double high(double predicted) {
            return most < 1 ? predicted / (1 - most) : Double.POSITIVE_INFINITY;
        }
    }

    /** Reads the tables; without the file nothing is known. */
    static PublishedErrors read(Path home) throws IOException {
        PublishedErrors all = new PublishedErrors();
        Path file = home.resolve(FILE);
        if (Files.exists(file)) {
            String section = "";
            for (String line : InputFile.text(file).lines().toList()) {
                section = line.startsWith("## ") ? line : section;
                all.row(section, line.split("\\|", -1));
            }
        }
        return all;
    }

    private void row(String section, String[] cells) {
        boolean isDevice = section.equals("## By engine and device");
        int metric = isDevice ? 3 : 2;
        if (!(isDevice || section.equals("## By engine"))
                || cells.length < metric + 4
                || !cells[metric + 1].strip().matches("\\d+")) {
            return;
        }
        String engine = cells[1].strip();
        String device = isDevice ? cells[2].strip() : OF_ANY_DEVICE;
        Errors found = new Errors(
                isDevice ? engine + " on " + device : engine + " on any device",
                Integer.parseInt(cells[metric + 1].strip()),
                number(cells[metric + 2]),
                number(cells[metric + 3]));
        errors.put(key(engine, device, cells[metric].strip()), found);
    }

    private static double number(String cell) {
        return Double.parseDouble(cell.strip().replace(",", "")) / PERCENT;
    }

    private static String key(String engine, String device, String metric) {
        return engine + "|" + device + "|" + metric;
    }

    /**
     * Errors of an engine on a device, or else on all devices that were measured, where those of the device are few.
     *
     * @param kind ttft, tpot or e2e
     */
    Optional<Errors> of(String engine, String device, String kind) {
        String metric = METRICS.getOrDefault(kind, kind);
        return Optional.ofNullable(errors.get(key(engine, device, metric)))
                .filter(known -> known.rows() >= FEWEST)
                .or(() -> Optional.ofNullable(errors.get(key(engine, OF_ANY_DEVICE, metric))));
    }
}
