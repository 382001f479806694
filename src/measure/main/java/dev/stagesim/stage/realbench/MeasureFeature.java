package dev.stagesim.stage.realbench;

import dev.stagesim.io.measured.ReadOptions;
import dev.stagesim.io.measured.formats.ResultFormats;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.Feature;
import dev.stagesim.stage.ResultFileReader;
import java.util.List;
import java.util.Optional;

/** Adds measured runs. */
public final class MeasureFeature implements Feature {
    @Override
    public int position() {
        return 20;
    }

    @Override
    public List<Object> parts() {
        return List.of(new RealBenchStage(), (ResultFileReader) (file, source, entry) -> ResultFormats.read(
                        file,
                        source.filter(name -> !name.equals(RealSettings.AUTO)),
                        new ReadOptions(entry, Optional.empty()))
                .model());
    }
}
