package dev.stagesim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Links;
import java.util.ArrayList;
import java.util.List;

/** Checks that the devices can share a model and have the required rates and links. */
final class DeviceChecks {
    private static final String TENSOR = "cluster.tensor_parallel_size";

    private DeviceChecks() {}

    static List<Problem> problems(ReplicaModel replica) {
        List<Problem> problems = new ArrayList<>();
        ModelCard model = replica.model();
        HardwareCard hardware = replica.hardware();
        int tensor = replica.cluster().tensorParallelSize();
        Links links = new Links(hardware);
        if (hardware.bf16OrFp16Tflops().isEmpty()) {
            problems.add(Problem.config("hardware", "has no 16-bit rate: " + hardware.name())
                    .hint("choose other hardware, or a measured profile"));
        } else if (hardware.kernels().source().isEmpty()) {
            problems.add(Problem.config("hardware", "has no kernel model for the architecture of " + hardware.name())
                    .hint("use other hardware or measured step times; or state hardware.kernels with its source"));
        } else if (replica.engine()
                .vendor()
                .filter(vendor -> !vendor.equals(hardware.device().vendor()))
                .isPresent()) {
            problems.add(Problem.config(
                            "engine",
                            "runs on devices of " + replica.engine().vendor().get() + " only, and " + hardware.name()
                                    + " is one of " + hardware.device().vendor())
                    .hint("use another engine, or other hardware"));
        } else if (!LayerTimes.splits(model, tensor)) {
            problems.add(Problem.config(
                            TENSOR,
                            "is " + tensor + ": tensor parallelism does not divide the heads and the feed-forward"
                                    + " width of " + model.name())
                    .hint("use a divisor of both"));
        } else if (tensor > 1 && !links.canLink(tensor)) {
            problems.add(Problem.config(
                            TENSOR,
                            "is " + tensor + ", and " + hardware.name()
                                    + " has no link between these devices; a node has " + links.devicesPerNode())
                    .hint("lower it, or set hardware.nic_gbps_per_accel_typ"));
        } else if (replica.devices() > links.devicesPerNode() && !links.hasNetwork()) {
            problems.add(Problem.config(
                            "cluster.num_pipeline_stages",
                            "needs " + replica.devices() + " devices, and " + hardware.name()
                                    + " has no network between nodes of " + links.devicesPerNode())
                    .hint("lower it, or set hardware.nic_gbps_per_accel_typ"));
        }
        return problems;
    }
}
