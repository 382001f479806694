package dev.stagesim.verify.scalesim;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.sim.systolic.LayerFigures;
import dev.stagesim.verify.Difference;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;

/** Compares figures with what the reference printed, at printed precision. */
final class PrintedFigures {
    private PrintedFigures() {}

    static void compare(JsonAt printed, List<LayerFigures> layers, List<Difference> differences) {
        for (JsonAt layer : printed.get("printed_per_layer").items()) {
            int index = layer.get("layer").asInt();
            if (index >= layers.size()) {
                differences.add(new Difference("layer " + index, "figures", "none"));
                continue;
            }
            for (Map.Entry<String, JsonAt> figure : layer.members().entrySet()) {
                if (!figure.getKey().equals("layer")) {
                    String wanted = figure.getValue().asString();
                    String actual = figure(figure.getKey(), layers.get(index), wanted);
                    if (!wanted.equals(actual)) {
                        differences.add(new Difference("layer " + index + " " + figure.getKey(), wanted, actual));
                    }
                }
            }
        }
    }

    private static String figure(String name, LayerFigures layer, String wanted) {
        double cycles = layer.totalCycles();
        return switch (name) {
            case "Total cycles" -> Long.toString(layer.cyclesWithPrefetch());
            case "Compute cycles" -> Long.toString(layer.totalCycles());
            case "Stall cycles" -> Long.toString(layer.stallCycles());
            case "Overall utilization" -> rounded(layer.overallUtilization(), wanted);
            case "Mapping efficiency" -> rounded(layer.mappingEfficiency(), wanted);
            case "Average IFMAP SRAM BW" -> rounded(layer.image().sram().words() / cycles, wanted);
            case "Average Filter SRAM BW" -> rounded(layer.filter().sram().words() / cycles, wanted);
            case "Average OFMAP SRAM BW" -> rounded(layer.output().sram().words() / cycles, wanted);
            case "Average IFMAP DRAM BW" -> rounded(layer.image().dram().bandwidth(), wanted);
            case "Average Filter DRAM BW" -> rounded(layer.filter().dram().bandwidth(), wanted);
            case "Average OFMAP DRAM BW" -> rounded(layer.output().dram().bandwidth(), wanted);
            default -> "an unknown figure";
        };
    }

    /** A value with as many decimals as the printed one, rounded half to even from its exact binary value. */
    private static String rounded(double value, String wanted) {
        int decimals = wanted.length() - wanted.indexOf('.') - 1;
        return new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    }
}
