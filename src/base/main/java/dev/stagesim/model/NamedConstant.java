package dev.stagesim.model;

/** A constant whose name in configurations and artifacts cannot be a Java name, for example a version. */
public interface NamedConstant {
    /** Returns the name in configurations and artifacts. */
    String id();
}
