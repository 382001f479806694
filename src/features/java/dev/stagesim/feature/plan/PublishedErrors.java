package dev.stagesim.feature.plan;

import dev.stagesim.feature.EngineChoice.Shape;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.sim.kernels.Links;
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
        int metric = 3;
        if (!section.equals("## By engine and device")
                || cells.length < metric + 4
                || !cells[metric + 1].strip().matches("\\d+")) {
            return;
        }
        String engine = cells[1].strip();
        String device = cells[2].strip();
        Errors found = new Errors(
                engine + " on " + device,
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
     * Errors of an engine on a device; empty if few of its measurements were on that device.
     *
     * @param kind ttft, tpot or e2e
     */
    Optional<Errors> of(String engine, String device, String kind) {
        return Optional.ofNullable(errors.get(key(engine, device, METRICS.getOrDefault(kind, kind))))
                .filter(known -> known.rows() >= FEWEST);
    }

    /**
     * Errors that apply to a shape of a model: nearly all measurements are of dense models on one node, and those of other models and
     * shapes are not separated.
     */
    Optional<Errors> of(Shape shape, ModelCard model, HardwareCard hardware, String kind) {
        boolean isOther = model.isMixtureOfExperts()
                || model.stateLayers().isPresent()
                || shape.pp() > 1
                || shape.devices() > new Links(hardware).devicesPerNode();
        return isOther ? Optional.empty() : of(shape.engine(), hardware.name(), kind);
    }
}
