package dev.stagesim.feature.studio;

import dev.stagesim.pipeline.WebApplication;
import java.io.IOException;

/** The studio: displays runs in a browser. */
final class StudioApplication implements WebApplication {
    @Override
    public Running open(Setting setting, Commands commands) throws IOException {
        StudioRoutes routes = new StudioRoutes(setting, commands);
        try {
            return StudioServer.open(setting.port(), routes);
        } catch (IOException e) {
            routes.close();
            throw e;
        }
    }
}
