FROM eclipse-temurin:17-jdk AS build
WORKDIR /src
COPY .mvn .mvn
COPY mvnw pom.xml ./
RUN ./mvnw -q -B -DskipTests -Dspotless.check.skip dependency:go-offline
COPY src src
RUN ./mvnw -q -B -DskipTests -Dspotless.check.skip package \
 && java -Djarmode=tools -jar target/onset.jar extract --destination /app

FROM eclipse-temurin:17-jre
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/onset onset
COPY --from=build /app /app
WORKDIR /app
# Classes as the same JVM loads them, kept ready: halves the work of starting.
RUN java -XX:ArchiveClassesAtExit=/app/onset.jsa -Dspring.context.exit=onRefresh \
      -jar onset.jar serve --onset.data=/tmp/onset-data || true; \
    rm -rf /tmp/onset-data
USER onset
WORKDIR /var/lib/onset
VOLUME /var/lib/onset
EXPOSE 8780
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8780 && printf 'GET /-/healthy HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q ' 200' <&3"]
ENTRYPOINT ["java", "-XX:SharedArchiveFile=/app/onset.jsa", "-Xshare:auto", "-jar", "/app/onset.jar"]
CMD ["serve"]
