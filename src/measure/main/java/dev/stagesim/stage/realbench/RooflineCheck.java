package dev.stagesim.stage.realbench;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.TimeScale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Compares a measurement with the limits of the model and the hardware. No forward pass is faster than one read of the
 * active weights or than its FLOPs at the highest dense peak rate, and no collective is faster than the links. A value
 * beyond a limit is a warning, because the file may describe another system than the settings.
 */
final class RooflineCheck {
    /** FLOPs of one token for each active weight: a product and a sum. */
    private static final double FLOPS_PER_WEIGHT = 2;

    private static final double TOLERANCE = 1.05;

    /** Number of devices that a measurement can have without a statement: those of one node. */
    private static final long MAX_UNSTATED_DEVICES = 8;

    private static final double BITS_PER_BYTE = 8;
    private static final double TERA = 1e12;
    private static final double NS_PER_BYTE_AT_GBS = 1;

    /** Settings that multiply to the number of devices, with the names in each tool. */
    private static final List<String> DEVICE_FACTORS = List.of(
            "tensor_parallel_size tp tp_size", "pipeline_parallel_size pp pp_size", "data_parallel_size dp dp_size");

    private final ModelCard model;
    private final HardwareCard hardware;
    private final Measurement measurement;
    private final long devices;

    /** True if the file states the number of devices. */
    private final boolean hasDevices;

    private final List<String> warnings = new ArrayList<>();

    /** Minimum number of devices with which all values are possible, if the file does not state their number. */
    private long needed = 1;

    private RooflineCheck(ModelCard model, HardwareCard hardware, Measurement measurement) {
        this.model = model;
        this.hardware = hardware;
        this.measurement = measurement;
        List<Double> factors = factors(measurement);
        hasDevices = !factors.isEmpty();
        devices = (long) factors.stream().mapToDouble(Double::doubleValue).reduce(1, (a, b) -> a * b);
    }

    /** Returns a warning for each limit that the measurement exceeds. */
    static List<String> warnings(ModelCard model, HardwareCard hardware, Measurement measurement) {
        RooflineCheck check = new RooflineCheck(model, hardware, measurement);
        if (measurement.model().isPresent()) {
            check.requests();
            check.aggregates();
            check.throughput();
        }
        check.links();
        if (check.needed > MAX_UNSTATED_DEVICES) {
            check.warnings.add("its times require at least " + check.needed + " devices (" + hardware.name() + ", "
                    + model.name() + " in " + KeyNames.constant(model.formats().weights())
                    + "), and the file does not state their number");
        }
        return check.warnings;
    }

    /** Returns the factors of the number of devices that the measurement states. */
    private static List<Double> factors(Measurement measurement) {
        return DEVICE_FACTORS.stream()
                .flatMap(names -> Stream.of(names.split(" ", -1))
                        .flatMap(name ->
                                number(measurement, "settings", name)
                                        .or(() -> number(measurement, "engine", name))
                                        .stream())
                        .filter(value -> value >= 1)
                        .findFirst()
                        .stream())
                .toList();
    }

    /** Adds a warning if a limit is exceeded by a factor, or counts the devices with which it is not. */
    private void check(double factor, Supplier<String> warning) {
        if (factor > TOLERANCE && hasDevices) {
            warnings.add(warning.get());
        } else if (factor > TOLERANCE) {
            needed = Math.max(needed, (long) Math.ceil(factor / TOLERANCE));
        }
    }

    private static Optional<Double> number(Measurement measurement, String section, String name) {
        JsonValue value = measurement.about().get(section).orElse(JsonValue.NULL) instanceof JsonValue.Obj object
                ? object.get(name).orElse(JsonValue.NULL)
                : JsonValue.NULL;
        return value instanceof JsonValue.Int number
                ? Optional.of((double) number.value())
                : value instanceof JsonValue.Real real ? Optional.of(real.value()) : Optional.empty();
    }

    /** Returns the time to read the active weights once. */
    private Optional<Double> weightsNs() {
        double bytes =
                model.size().activeParameters() * model.formats().weights().bytes();
        return hardware.memory().memBwGbs().map(rate -> NS_PER_BYTE_AT_GBS * bytes / (rate * devices));
    }

    /** Returns the time to compute a prompt. */
    private Optional<Double> computeNs(double tokens) {
        return peakFlops().map(peak -> tokens * flopsPerToken() / peak * NS_PER_S);
    }

    private double flopsPerToken() {
        return FLOPS_PER_WEIGHT * model.size().activeParameters();
    }

    private Optional<Double> peakFlops() {
        return Stream.of(
                        hardware.bf16OrFp16Tflops(),
                        hardware.rates().fp8Tflops(),
                        hardware.rates().int8Tops(),
                        hardware.rates().fp4Tflops(),
                        hardware.rates().fp32Tflops())
                .flatMap(Optional::stream)
                .max(Double::compare)
                .map(tera -> tera * TERA * devices);
    }

    private void requests() {
        List<Request> completed =
                measurement.requests().all().stream().filter(Request::completed).toList();
        weightsNs().ifPresent(floor -> {
            long below =
                    completed.stream().filter(r -> ttft(r) * TOLERANCE < floor).count();
            completed.stream()
                    .mapToDouble(RooflineCheck::ttft)
                    .min()
                    .ifPresent(shortest -> check(
                            floor / shortest,
                            () -> Count.of(below, "request") + " with a TTFT below " + time(floor)
                                    + ", the time in which " + system() + " reads the active weights once"));
        });
        double[] factors = completed.stream()
                .mapToDouble(r -> computeNs(r.prefill()).orElse(0.0) / ttft(r))
                .sorted()
                .toArray();
        long below = Arrays.stream(factors).filter(factor -> factor > TOLERANCE).count();
        // a prefix cache explains single requests
        if (factors.length > 0) {
            check(
                    factors[(factors.length - 1) / 2],
                    () -> below + " of " + Count.of(completed.size(), "request")
                            + " with a TTFT below the time in which " + system()
                            + " computes the prompt at its peak rate, without a prefix cache");
        }
    }

    private static double ttft(Request request) {
        return request.first() - request.arrival();
    }

    private void aggregates() {
        for (Published figure : measurement.published()) {
            boolean isTypical =
                    figure.statistic().equals("mean") || figure.statistic().equals("p50");
            if (isTypical && figure.metric().equals("tpot")) {
                weightsNs()
                        .ifPresent(floor ->
                                below(figure, floor, "reads the active weights once, without speculative decoding"));
            }
            if (isTypical && figure.metric().equals("ttft")) {
                weightsNs().ifPresent(floor -> below(figure, floor, "reads the active weights once"));
                number(measurement, "workload", "prompt_tokens")
                        .flatMap(this::computeNs)
                        .ifPresent(floor -> below(figure, floor, "computes the mean prompt without a prefix cache"));
            }
        }
    }

    private void below(Published figure, double floor, String what) {
        check(
                floor / figure.valueNs(),
                () -> figure.metric().toUpperCase(Locale.ROOT) + " " + figure.statistic() + " is "
                        + time(figure.valueNs()) + ", expected at least " + time(floor) + ", the time in which "
                        + system() + " " + what);
    }

    private void throughput() {
        Optional<Double> rate = number(measurement, "rates", "output_tokens_per_s");
        Optional<Double> limit = peakFlops().map(peak -> peak / flopsPerToken());
        if (rate.isPresent() && limit.isPresent()) {
            check(
                    rate.get() / limit.get(),
                    () -> "the output rate is " + rate.get() + " tokens/s, expected at most " + limit.get() + ", which "
                            + system() + " computes at its peak rate");
        }
    }

    /** A switch that reduces in the network halves the traffic of an all-reduce, so the algorithm bandwidth is limited. */
    private void links() {
        double link = Math.max(
                hardware.scaleup().scaleupUniGbs(),
                Math.max(
                        hardware.host().hostUniGbs().orElse(0.0),
                        hardware.host().nicGbpsPerAccelTyp().orElse(0.0) / BITS_PER_BYTE));
        List<Collective> above = measurement.operations().collectives().stream()
                .filter(row -> row.ranks() > 1 && link > 0)
                .filter(row ->
                        (row.collective().equals("all_reduce") ? row.algorithmGbs() : row.busGbs()) > link * TOLERANCE)
                .toList();
        above.stream()
                .findFirst()
                .ifPresent(row -> warnings.add(Count.of(above.size(), "collective")
                        + " faster than the links of " + hardware.name() + ", for example " + row.collective() + " of "
                        + row.bytes() + " bytes on " + row.ranks() + " ranks with a bus bandwidth of " + row.busGbs()
                        + " GB/s and an algorithm bandwidth of " + row.algorithmGbs() + " GB/s, expected at most "
                        + link + " GB/s per device"));
    }

    private String system() {
        return Count.of(devices, "device") + " (" + hardware.name() + ", " + model.name() + " in "
                + KeyNames.constant(model.formats().weights()) + ")";
    }

    private static String time(double ns) {
        return TimeScale.fit(ns).withUnit(ns);
    }
}
