package dev.pilothouse;

/** What the server refused. */
public final class PilothouseException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int code;

  PilothouseException(int code, String message) {
    super(message);
    this.code = code;
  }

  /** The status code; 0 if the server did not start. */
  public int code() {
    return code;
  }
}
