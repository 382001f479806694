package dev.stagesim.cli;

import dev.stagesim.model.ServiceProviders;
import java.io.File;
import java.util.List;
import java.util.Map;

/** The service providers in the jars of the product. A test compares them with the files {@code META-INF/services}. */
final class ProductServices {
    static final Map<String, List<String>> PROVIDERS = Map.of(
            "dev.stagesim.model.Feature",
            List.of(
                    "dev.stagesim.feature.cluster.ClusterFeature",
                    "dev.stagesim.feature.fabric.FabricFeature",
                    "dev.stagesim.feature.mock.MockFeature",
                    "dev.stagesim.feature.plan.PlanFeature",
                    "dev.stagesim.feature.pytorch.PytorchFeature",
                    "dev.stagesim.feature.reference.ReferenceFeature",
                    "dev.stagesim.feature.scalesim.ScaleSimFeature",
                    "dev.stagesim.feature.spark.SparkFeature",
                    "dev.stagesim.feature.studio.StudioFeature",
                    "dev.stagesim.feature.suite.SuiteFeature",
                    "dev.stagesim.feature.trainplan.TrainPlanFeature",
                    "dev.stagesim.stage.astrasim.AstraSimFeature",
                    "dev.stagesim.stage.compare.CompareFeature",
                    "dev.stagesim.stage.realbench.MeasureFeature",
                    "dev.stagesim.stage.vidursim.ServingFeature",
                    "dev.stagesim.stage.workload.WorkloadFeature"),
            "dev.stagesim.config.interp.ResolverProvider",
            List.of());

    private ProductServices() {}

    /** Declares the providers if the class path has only jars of the product's installation. */
    static void declare() {
        String installed = System.getProperty("stagesim.home", "") + "/target/";
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!entry.startsWith(installed)) {
                return;
            }
        }
        ServiceProviders.declare(PROVIDERS);
    }
}
