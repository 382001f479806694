package dev.stagesim.feature.cluster.engine;

/** How the decisions of a run come about: as its routers choose, or otherwise. */
public interface Course {
    /** As the routers choose. */
    Course ROUTERS = (front, request, hasPrompt, now) -> front.choose(request, hasPrompt);

    /** The number of the instance for a request, which the front's router is told of. */
    int choose(Front front, int request, boolean hasPrompt, double now);
}
