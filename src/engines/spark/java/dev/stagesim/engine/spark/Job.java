package dev.stagesim.engine.spark;

import org.apache.spark.api.java.function.Function;

/** A job on whichever worker it comes to. */
final class Job implements Function<String, String> {
    private static final long serialVersionUID = 1;

    private final Place place;

    Job(Place place) {
        this.place = place;
    }

    @Override
    public String call(String job) throws Exception {
        String answer = Product.of(place.classPath()).run(place.home(), place.workDir(), job);
        place.bring(answer);
        return answer;
    }
}
